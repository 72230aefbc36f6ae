/* CPU time of what lies between `begin` and `end`, by a number that tells what it was (see search.py). */

#include <stdint.h>
#include <time.h>

#define MOST 4000000

int64_t kinds[MOST], nanoseconds[MOST], count;
static struct timespec start;

void begin(void) { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start); }

void end(int64_t kind)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    if (count < MOST) {
        kinds[count] = kind;
        nanoseconds[count++] = (now.tv_sec - start.tv_sec) * 1000000000LL + now.tv_nsec - start.tv_nsec;
    }
}
