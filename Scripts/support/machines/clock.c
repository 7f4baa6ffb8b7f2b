/* Loaded before the C library: another time of day. $MACHINE_CLOCK is a number of seconds to add, "at N" for a clock that
   stands still at N seconds since 1970, or "steps N" for one that N seconds are added to after a tenth of a second. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static int real(clockid_t clock, struct timespec *found) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
    return next(clock, found);
}

static void move(struct timespec *found) {
    const char *words = getenv("MACHINE_CLOCK");
    if (!words) return;
    if (strncmp(words, "at ", 3) == 0) {
        found->tv_sec = atoll(words + 3);
        found->tv_nsec = 0;
    } else if (strncmp(words, "steps ", 6) == 0) {
        static struct timespec begun;
        struct timespec now;
        real(CLOCK_MONOTONIC, &now);
        if (!begun.tv_sec) begun = now;
        if ((now.tv_sec - begun.tv_sec) * 1000000000LL + now.tv_nsec - begun.tv_nsec > 100000000LL)
            found->tv_sec += atoll(words + 6);
    } else {
        found->tv_sec += atoll(words);
    }
}

int clock_gettime(clockid_t clock, struct timespec *found) {
    int status = real(clock, found);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) move(found);
    return status;
}

int gettimeofday(struct timeval *found, void *zone) {
    struct timespec now;
    (void) zone;
    clock_gettime(CLOCK_REALTIME, &now);
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *found) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}
