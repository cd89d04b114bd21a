// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0

package gc.terrace.h2;

import java.util.function.Consumer;

/**
 * A binary tree in which every field follows from a node's position, so that it can be checked without a copy. Node i has
 * the children 2i and 2i + 1, as in a binary heap. Every node refers to the root and to its parent.
 */
public final class Tree {

    public final int id;
    public final long seed;
    public final String name;
    public final int[] numbers;
    public final Object[] boxes;
    public final Tree root;
    public final Tree parent;
    public Tree left;
    public Tree right;
    public volatile Object extra;

    private Tree(int id, long seed, Tree root, Tree parent) {
        this.id = id;
        this.seed = seed;
        this.root = root == null ? this : root;
        this.parent = parent;
        this.name = nameOf(id, seed);
        this.numbers = new int[id % 17];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = number(i);
        }
        this.boxes = new Object[] { this, numbers, name, box(), parent };
    }

    private static String nameOf(int id, long seed) {
        return "node " + id + (id % 3 == 0 ? " \u00e4\u4e16" : "") + " of " + seed;
    }

    private int number(int i) {
        return (int) (seed * 31 + id) * 17 + i;
    }

    private Long box() {
        return seed << 32 | id;
    }

    /** Makes a tree of {@code size} nodes. */
    public static Tree make(int size, long seed) {
        Tree root = new Tree(1, seed, null, null);
        Tree[] nodes = new Tree[size + 1];
        nodes[1] = root;
        for (int i = 2; i <= size; i++) {
            Tree parent = nodes[i / 2];
            nodes[i] = new Tree(i, seed, root, parent);
            if (i % 2 == 0) {
                parent.left = nodes[i];
            } else {
                parent.right = nodes[i];
            }
        }
        return root;
    }

    /** Checks every field of every node, and that there are {@code size} of them. */
    public void check(int size, long expectedSeed) {
        int[] count = new int[1];
        forEach(node -> {
            node.checkNode(expectedSeed, this);
            count[0]++;
        });
        H2Test.assertEquals(count[0], size, "nodes of tree " + expectedSeed);
    }

    private void checkNode(long expectedSeed, Tree expectedRoot) {
        String what = "node " + id + " of tree " + expectedSeed;
        H2Test.assertEquals(seed, expectedSeed, what + ".seed");
        H2Test.assertSame(root, expectedRoot, what + ".root");
        H2Test.assertEquals(name, nameOf(id, seed), what + ".name");
        H2Test.assertEquals(numbers.length, id % 17, what + ".numbers.length");
        for (int i = 0; i < numbers.length; i++) {
            H2Test.assertEquals(numbers[i], number(i), what + ".numbers");
        }
        H2Test.assertSame(boxes[0], this, what + ".boxes[0]");
        H2Test.assertSame(boxes[1], numbers, what + ".boxes[1]");
        H2Test.assertSame(boxes[2], name, what + ".boxes[2]");
        H2Test.assertEquals(boxes[3], box(), what + ".boxes[3]");
        H2Test.assertSame(boxes[4], parent, what + ".boxes[4]");
        if (left != null) {
            H2Test.assertEquals(left.id, 2 * id, what + ".left.id");
            H2Test.assertSame(left.parent, this, what + ".left.parent");
        }
        if (right != null) {
            H2Test.assertEquals(right.id, 2 * id + 1, what + ".right.id");
            H2Test.assertSame(right.parent, this, what + ".right.parent");
        }
    }

    /** Visits every node, parents first. */
    public void forEach(Consumer<Tree> action) {
        action.accept(this);
        if (left != null) {
            left.forEach(action);
        }
        if (right != null) {
            right.forEach(action);
        }
    }

    public void assertInH2() {
        forEach(node -> {
            H2Test.assertInH2(node, "node " + node.id);
            H2Test.assertInH2(node.name, "name of node " + node.id);
            H2Test.assertInH2(node.numbers, "numbers of node " + node.id);
            H2Test.assertInH2(node.boxes, "boxes of node " + node.id);
        });
    }

    public void assertInH1() {
        forEach(node -> H2Test.assertInH1(node, "node " + node.id));
    }
}
