#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define SLOTS 8
#define GUARDED 5

/* A slot is written under the lock while `used` is 0, and read by the handler only while it is 1. */
static struct {
  volatile sig_atomic_t used;
  int descriptor;
  struct termios before, quiet;
} slots[SLOTS];

static const int guarded[GUARDED] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
static struct sigaction earlier[GUARDED];
static int installed[GUARDED];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Async-signal-safe. */
int latchkey_terminal_is_front(int descriptor) {
  pid_t front = tcgetpgrp(descriptor);
  return front == -1 || front == getpgrp();
}

/* A shell may take the terminal between the look and the call, which then raises SIGTTOU. If that is blocked, the call
   succeeds. */
static void set_mode(int descriptor, const struct termios *mode) {
  if (!latchkey_terminal_is_front(descriptor)) return;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  while (tcsetattr(descriptor, TCSANOW, mode) != 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Calls async-signal-safe functions only (POSIX.1-2017, section 2.4.3). */
static void on_signal(int number) {
  int kept = errno;
  int which = 0;
  while (which < GUARDED - 1 && guarded[which] != number) which++;
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].used) set_mode(slots[i].descriptor, &slots[i].before);
  }
  struct sigaction ours;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  sigaction(number, &earlier[which], &ours);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  /* The process continues: it was stopped and continued, or its own handler returned. */
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  sigaction(number, &ours, NULL);
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].used) set_mode(slots[i].descriptor, &slots[i].quiet);
  }
  errno = kept;
}

static void install(void) {
  for (int i = 0; i < GUARDED; i++) {
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    installed[i] = 0;
    if (sigaction(guarded[i], NULL, &earlier[i]) != 0) continue;
    /* Keep signals ignored that the process ignores. */
    if (!(earlier[i].sa_flags & SA_SIGINFO) && earlier[i].sa_handler == SIG_IGN) continue;
    installed[i] = sigaction(guarded[i], &action, NULL) == 0;
  }
}

static void uninstall(void) {
  for (int i = 0; i < GUARDED; i++) {
    struct sigaction now;
    if (!installed[i] || sigaction(guarded[i], NULL, &now) != 0) continue;
    /* The program may have installed a handler of its own meanwhile; that stays. */
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_signal) sigaction(guarded[i], &earlier[i], NULL);
    installed[i] = 0;
  }
}

int latchkey_terminal_begin(int descriptor) {
  struct termios before;
  if (!latchkey_terminal_is_front(descriptor) || tcgetattr(descriptor, &before) != 0) return -1;
  pthread_mutex_lock(&lock);
  int number = 0;
  while (number < SLOTS && slots[number].used) number++;
  if (number == SLOTS) {
    pthread_mutex_unlock(&lock);
    return -2;
  }
  struct termios quiet = before;
  quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
  quiet.c_iflag &= ~(tcflag_t)(INLCR | IGNCR);
  quiet.c_iflag |= ICRNL;
  quiet.c_cc[VMIN] = 1;
  quiet.c_cc[VTIME] = 0;
  slots[number].descriptor = descriptor;
  slots[number].before = before;
  slots[number].quiet = quiet;
  if (count++ == 0) install();
  slots[number].used = 1;
  set_mode(descriptor, &quiet);
  pthread_mutex_unlock(&lock);
  return number;
}

void latchkey_terminal_end(int number) {
  if (number < 0 || number >= SLOTS) return;
  pthread_mutex_lock(&lock);
  if (slots[number].used) {
    slots[number].used = 0;
    set_mode(slots[number].descriptor, &slots[number].before);
    if (--count == 0) uninstall();
  }
  pthread_mutex_unlock(&lock);
}

int latchkey_terminal_suspend(int number) {
  if (number < 0 || number >= SLOTS || !slots[number].used) return 0;
  set_mode(slots[number].descriptor, &slots[number].before);
  kill(0, SIGTSTP);
  set_mode(slots[number].descriptor, &slots[number].quiet);
  return latchkey_terminal_is_front(slots[number].descriptor);
}

void latchkey_terminal_size(int descriptor, int *columns, int *rows) {
  struct winsize size = {0};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) size = (struct winsize){0};
  *columns = size.ws_col;
  *rows = size.ws_row;
}
