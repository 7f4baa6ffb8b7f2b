/* Loaded before the C library: lets one call fail as a file system, or a kernel, does that is not like ours. $MACHINE_FAULT
   says which, and the file of $MACHINE_MENDED ends it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int is(const char *fault) {
    const char *named = getenv("MACHINE_FAULT"), *mended = getenv("MACHINE_MENDED");
    return named && strcmp(named, fault) == 0 && !(mended && access(mended, F_OK) == 0);
}

static int is_kind(int file, mode_t kind) {
    struct stat found;
    return fstat(file, &found) == 0 && (found.st_mode & S_IFMT) == kind;
}

#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))
#define FAIL(number) do { errno = (number); return -1; } while (0)

int fsync(int file) {
    if (is("fsync-directory-einval") && is_kind(file, S_IFDIR)) FAIL(EINVAL);
    if (is("fsync-eio") && is_kind(file, S_IFREG)) FAIL(EIO);
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    if (is("fsync-eio") && is_kind(file, S_IFREG)) FAIL(EIO);
    return REAL(fdatasync)(file);
}

int flock(int file, int operation) {
    if (is("flock-enosys")) FAIL(ENOSYS);
    if (is("flock-enolck")) FAIL(ENOLCK);
    return REAL(flock)(file, operation);
}

ssize_t write(int file, const void *bytes, size_t count) {
    if (is("write-edquot") && file > 2 && is_kind(file, S_IFREG)) FAIL(EDQUOT);
    if (is("write-eio") && file > 2 && is_kind(file, S_IFREG)) FAIL(EIO);
    if (is("write-short") && file > 2 && count > 1 && is_kind(file, S_IFREG)) count = count / 2;
    if (is("write-eintr") && file > 2 && is_kind(file, S_IFREG)) {
        static int turn;
        if (turn++ % 2 == 0) FAIL(EINTR);
    }
    return REAL(write)(file, bytes, count);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    if (is("fallocate-enotsup")) return EOPNOTSUPP;
    return REAL(posix_fallocate)(file, offset, length);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    if (is("fallocate-enotsup")) FAIL(EOPNOTSUPP);
    return REAL(fallocate)(file, mode, offset, length);
}

int renameat(int from, const char *old, int to, const char *new) {
    if (is("rename-exdev")) FAIL(EXDEV);
    if (is("rename-eio")) FAIL(EIO);
    return REAL(renameat)(from, old, to, new);
}

int rename(const char *old, const char *new) {
    if (is("rename-exdev")) FAIL(EXDEV);
    if (is("rename-eio")) FAIL(EIO);
    return REAL(rename)(old, new);
}

int fchmod(int file, mode_t mode) {
    if (is("chmod-eperm")) FAIL(EPERM);
    return REAL(fchmod)(file, mode);
}

int fchmodat(int directory, const char *path, mode_t mode, int flags) {
    if (is("chmod-eperm")) FAIL(EPERM);
    return REAL(fchmodat)(directory, path, mode, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    if (is("link-eperm")) FAIL(EPERM);
    return REAL(linkat)(from, old, to, new, flags);
}

ssize_t getrandom(void *bytes, size_t count, unsigned int flags) {
    if (is("getrandom-enosys")) FAIL(ENOSYS);
    return REAL(getrandom)(bytes, count, flags);
}
