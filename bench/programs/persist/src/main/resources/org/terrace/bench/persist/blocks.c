// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

/* Copies blocks of 256 bytes between a private mapping of a file and a buffer, in order and at random, like Blocks.java in a
   persistent heap. Arguments: file, mebibytes, passes. Prints the nanoseconds per block in the fastest pass as JSON. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 256, BYTES = 248 };

static char buffer[BYTES];

static void load(char *block) {
    memcpy(buffer, block, BYTES);
    __asm__ volatile("" : : "r"(buffer) : "memory");
}

static void store(char *block) {
    memcpy(block, buffer, BYTES);
    __asm__ volatile("" : : "r"(block) : "memory");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

#define MEASURE(access)                                                \
    do {                                                               \
        for (int pass = 0; pass < passes; pass++) {                    \
            buffer[0] = (char)pass;                                    \
            double started = now();                                    \
            for (int i = 0; i < count; i++)                            \
                access(blocks + (size_t)order[i] * BLOCK_BYTES + 8);   \
            double took = (now() - started) / count;                   \
            if (pass == 0 || took < best) best = took;                 \
        }                                                              \
    } while (0)

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    size_t bytes = (size_t)atoi(argv[2]) << 20;
    int count = bytes / BLOCK_BYTES, passes = atoi(argv[3]);
    int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
    if (fd < 0 || posix_fallocate(fd, 0, bytes)) return 3;
    char *blocks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    int *order = malloc(count * sizeof *order);
    if (blocks == MAP_FAILED || !order) return 4;
    memset(blocks, 1, bytes);
    const char *separator = "{";
    for (int random = 0; random < 2; random++) {
        uint64_t state = 1;
        for (int i = 0; i < count; i++) order[i] = i;
        for (int i = count - 1; random && i > 0; i--) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            int j = (state >> 33) % (i + 1), other = order[j];
            order[j] = order[i];
            order[i] = other;
        }
        double best = 0;
        MEASURE(load);
        printf("%s\"%s read\": %f", separator, random ? "random" : "sequential", best);
        MEASURE(store);
        printf(", \"%s write\": %f", random ? "random" : "sequential", best);
        separator = ", ";
    }
    printf("}\n");
    return 0;
}
