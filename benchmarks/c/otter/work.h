/* What the search for one hand's best play works on (kernel/work.py), and the tree of reveals (kernel/reveals.py). */

#ifndef OTTER_WORK_H
#define OTTER_WORK_H

#include "worth.h"

#define REVEALS 1586 /* subsets of up to 5 of 12 cards */
#define MEMO (INT64_C(1) << 12)
#define USES 4 /* uses of limited Change cards that are told apart */
#define SETS (1 << USES)
#define USED_SHIFT (CODE_BITS * SLOTS)
#define CARDS_MASK (bit(USED_SHIFT) - 1)

/* What a set of revealed cards shows. */
struct features {
    i64 h[SLOTS]; /* numbers standing on at least 1 .. 5 cards (masks) */
    i64 word;     /* nibbles: cards by suit, then by the hands' number filters */
    i64 counted;  /* nibbles: cards marked by each Score op */
    i64 each;     /* what cards pay by themselves */
    i64 icons;    /* the score printed on them */
    i64 packed;   /* the cards, 9 bits each */
};

/* A seat's usable hands in order of worth. */
struct ranking {
    double weight; /* score points that a VP is worth */
    i64 n_order, order[HANDS];
    double key[HANDS];   /* what they are ordered by */
    i64 first[PATTERNS]; /* by pattern of equal numbers, the best hand when no other part shows */
};

/* What one card could become by a set of Change cards, sharing ignored. */
struct entry {
    i64 numbers, free;          /* within reach (mask); those that no limited Change card is needed for */
    uint16_t sets[NUMBER_BITS]; /* by number: the smallest sets of limited uses that bring it (a bit a set) */
    i64 can, free_suits, high, low, touched, may_mark, must_mark;
    double best, spread; /* its highest gain by itself, in key, and how far that can differ */
};

/* What a set of cards could become. */
struct reach {
    i64 c[SLOTS], f[SLOTS]; /* numbers within reach of 1 .. 5 cards, and without a limited Change card (masks) */
    i64 numbers[SLOTS], free[SLOTS]; /* the same by slot */
    const struct entry *entry[SLOTS];
    i64 can, free_suits, high, low, touched, may_mark, must_mark;
    double best, spread;
};

/* How many cards the Change cards can change, how many cards' numbers, how many cards' suits; at most five each. */
struct budget {
    i64 together, numbers, suits;
    i64 limited_numbers, limited_suits; /* of these, by limited Change cards */
    i64 untold;                         /* numbers that others than uses told apart can bring (mask) */
};

/* What one use of a Change card need try. */
struct near {
    i64 slots;                /* slots worth changing (mask) */
    i64 numbers[SLOTS];       /* by slot: numbers that matter by themselves (mask) */
    i64 adds;                 /* how far Change cards left can add to a number */
    i64 n_classes;
    i64 classes[NUMBER_BITS]; /* numbers that nothing left tells apart (masks) */
    i64 codes[RESULTS];       /* what one card can become by one use */
};

struct use {
    i64 change, cards; /* place in own.change, the cards after it */
};

struct work {
    i64 round_number;
    struct ranking ranking;
    struct features rows[REVEALS], whole, changed;
    i64 n_kept, kept[REVEALS];  /* rows of the reveals that can be best */
    double bound[REVEALS];      /* an optimistic bound for each of them */
    i64 touched[REVEALS];       /* by row, nibbles: how many of its cards each Change card can touch */
    i64 every, unconditional;   /* Change cards that may be used in this round; those without a condition (masks) */
    /* Limited Change cards, those that one use of cannot change all cards: which move numbers, which move suits, which
     * have uses told apart */
    i64 limited_numbers, limited_suits, told_apart;
    i64 n_uses, use[HELD][2];   /* by place in own.change: its uses (masks of one bit, or 0) */
    i64 by_set[SETS];           /* numbers that a card can have after just a set of uses */
    i64 brings[HELD];           /* by place in own.change: numbers that it can bring (mask) */
    i64 but_x, share_x;         /* the use "any number but X" (0: none), and how many cards must share X */
    double spread;              /* how far the gain of any card by itself can differ, in key */
    double gain[HELD][SLOTS + 1][SLOTS + 1]; /* by active Score op: its highest gain for a count between two bounds */
    double otherwise_key;
    i64 n_hopeful, hopeful[HANDS]; /* hands that could be formed and beat the best unchanged play */
    double hopeful_key[HANDS];
    i64 hopeful_parts;          /* feature bits that they need */
    i64 after_numbers[1 << HELD], after_suits[1 << HELD];
    i64 memo_size;
    struct entry memo[MEMO];
    i64 memo_key[MEMO];         /* set of Change cards and card + 1, 0 for an empty place */
    struct reach reach;
    struct near near;
    struct use way[HELD + 1];   /* uses that lead to the state at hand */
    struct use path[HELD + 1];  /* uses of the best play so far */
};

struct play {
    double key;
    i64 row, hand, value, uses;
};

/* The subsets of up to 5 of 12 cards; those of the first n cards come first, row 0 is the empty one. */
static int16_t PARENT[REVEALS], ADDED[REVEALS], N_CARDS[REVEALS], SUBSET[REVEALS], ROWS[HAND + 1];

__attribute__((constructor)) static void list_subsets(void)
{
    i64 n = 1;
    ROWS[0] = 1;
    for (i64 card = 0; card < HAND; card++) {
        for (i64 row = 0, before = n; row < before; row++)
            if (N_CARDS[row] < SLOTS) {
                PARENT[n] = row;
                ADDED[n] = card;
                N_CARDS[n] = N_CARDS[row] + 1;
                SUBSET[n++] = SUBSET[row] | 1 << card;
            }
        ROWS[card + 1] = n;
    }
}

#endif
