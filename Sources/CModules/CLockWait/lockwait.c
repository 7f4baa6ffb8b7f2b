#define _GNU_SOURCE
#include "CLockWait.h"

#ifdef __linux__

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>

struct wait {
    int file;
    void (*ended)(void *context, int problem);
    void *context;
};

/* Runs while a stopped thread is taken down, which has no other frames than those in this file. */
static void stopped(void *raw) {
    struct wait *wait = raw;
    wait->ended(wait->context, ECANCELED);
    free(wait);
}

static void *run(void *raw) {
    struct wait *wait = raw;
    int problem = 0, before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_cleanup_push(stopped, wait);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    /* flock is safe to stop at any instant: it changes nothing but the lock, which goes with the open file. */
    while (flock(wait->file, LOCK_EX) != 0) {
        if (errno == EINTR) continue;
        problem = errno;
        break;
    }
    /* The type first: glibc 2.36 stops a thread of this type that was told so before it disabled that. */
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_cleanup_pop(0);
    wait->ended(wait->context, problem);
    free(wait);
    return NULL;
}

int latchkey_lock_wait(int file, void (*ended)(void *context, int problem), void *context, unsigned long *thread) {
    struct wait *wait = malloc(sizeof *wait);
    if (!wait) return ENOMEM;
    *wait = (struct wait){file, ended, context};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* The program's signals are for its own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t made;
    int problem = pthread_create(&made, &attributes, run, wait);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (problem) free(wait);
    else *thread = (unsigned long)made;
    return problem;
}

void latchkey_lock_wait_stop(unsigned long thread) { pthread_cancel((pthread_t)thread); }

#else

#include <errno.h>

int latchkey_lock_wait(int file, void (*ended)(void *context, int problem), void *context, unsigned long *thread) {
    (void)file, (void)ended, (void)context, (void)thread;
    return ENOSYS;
}

void latchkey_lock_wait_stop(unsigned long thread) { (void)thread; }

#endif
