/*
 * Adaptive stealing and termination (docs/use/gc-threads.md), for SPIN:
 *
 *     spin -search docs/internals/models/stealing.pml              # no errors
 *     spin -DNO_SWEEP -search docs/internals/models/stealing.pml   # a queue of nobody is forgotten
 *
 * N workers with a queue each, and one queue that no worker owns. A task may make others, up to BUDGET in all. The live set is
 * read one bit at a time, without a lock, and may be wrong. A pop from another's queue reads its size, then tries to take a task if that
 * has not changed. The terminator is upstream's: who has offered waits until all have, or until some queue has a task.
 */
#define N 3
#define BUDGET 2

byte queue[N + 1];
bool live[N];
byte budget = BUDGET;
byte offered;
bool ended;

#define ALL_EMPTY (queue[0] + queue[1] + queue[2] + queue[3] == 0)

inline take_from(victim) {
    size = queue[victim];
    if
    :: size == 0 -> skip
    :: else -> atomic {
           if
           :: queue[victim] == size -> queue[victim]--; found = true
           :: else -> skip
           fi
       }
    fi
}

inline steal() {
    found = false;
    /* Some live workers; which ones, and how many, is left open. */
    i = 0;
    do
    :: i < N && !found ->
           if
           :: i != self && live[i] -> take_from(i)
           :: true -> skip
           fi;
           i++
    :: else -> break
    od;
#ifndef NO_SWEEP
    /* Sizes of all queues, from any one on; one that is not empty is tried. If that fails, somebody else got
       something: the thief looks again, or gives up. */
    found_none = found;
    do
    :: !found_none ->
           if
           :: first = 0
           :: first = 1
           :: first = 2
           :: first = 3
           fi;
           i = 0;
           do
           :: i <= N && ((first + i) % (N + 1) == self || queue[(first + i) % (N + 1)] == 0) -> i++
           :: i <= N && (first + i) % (N + 1) != self && queue[(first + i) % (N + 1)] > 0 ->
                  take_from((first + i) % (N + 1));
                  if
                  :: found -> found_none = true
                  :: !found -> skip
                  :: !found -> found_none = true
                  fi;
                  break
           :: i > N -> found_none = true; break
           od
    :: else -> break
    od;
    first = 0;
    found_none = false;
#endif
    i = 0;
    size = 0
}

proctype worker(byte self) {
    byte i, size, first;
    bool found, found_none;

working:
    do
    :: atomic { queue[self] > 0 -> queue[self]-- }
       /* The task: it may make another one or two. */
       do
       :: atomic { budget > 0 -> budget--; queue[self]++ }
       :: break
       od
    :: queue[self] == 0 ->
       steal();
       if
       :: found -> found = false;
              do
              :: atomic { budget > 0 -> budget--; queue[self]++ }
              :: break
              od
       :: else -> break
       fi
    od;

    live[self] = false;
    atomic {
        offered++;
        if
        :: offered == N -> ended = true
        :: else -> skip
        fi
    }
    if
    :: ended -> skip
    :: !ALL_EMPTY -> atomic {
           if
           :: ended -> skip
           :: else -> offered--; found = true
           fi
       }
    fi;
    live[self] = true;
    if
    :: found -> found = false; goto working
    :: else -> assert(ended && ALL_EMPTY)
    fi
}

init {
    atomic {
        byte w;
        queue[0] = 1;
        queue[N] = 2;           /* of nobody */
        for (w : 0 .. N - 1) {
            live[w] = true;
            run worker(w)
        }
    }
}
