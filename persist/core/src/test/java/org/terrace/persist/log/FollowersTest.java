// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package org.terrace.persist.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FollowersTest {
    private final Followers followers = new Followers();
    private final List<Thread> threads = new ArrayList<>();

    private Thread follower(long position, boolean sync) throws InterruptedException {
        Thread thread = new Thread(() -> followers.add(position, sync));
        thread.start();
        thread.join();
        threads.add(thread);
        return thread;
    }

    @Test
    void allThatHaveWhatTheyWaitForAreWokenAndOneThatHasNot() throws InterruptedException {
        for (int i = 1; i <= 5; i++) {
            follower(i * 10, true);
        }
        assertEquals(threads.subList(0, 3), followers.take(20, 20));
        assertEquals(threads.subList(3, 5), followers.take(40, 40));
        assertEquals(List.of(), followers.take(50, 50));
    }

    @Test
    void whatIsOnlyWrittenIsEnoughForSome() throws InterruptedException {
        Thread first = follower(10, true);
        Thread second = follower(10, true);
        Thread third = follower(10, false);
        assertEquals(List.of(first, third), followers.take(10, 0));
        assertEquals(List.of(second), followers.take(10, 10));
    }

    @Test
    void anErrorWakesAll() throws InterruptedException {
        follower(10, true);
        follower(20, true);
        follower(30, false);
        assertEquals(threads, followers.take());
    }
}
