/* Stands between a program and the system: counts its calls that touch files, and lets one of them fail.

   Built and loaded by system_calls.py. `fault_arm` says what happens at which call; only calls on paths below a folder
   count. What is counted is shared with the processes that are forked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, FAIL, SIGNAL, SHORT, LOST, ALWAYS };
enum { WRITES = 1, READS = 2, MOVES = 4 };

static struct { int kind, number, which; long at; char below[PATH_MAX]; } fault;
static long *counted;

__attribute__((constructor)) static void begin(void) {
    counted = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void fault_arm(int kind, int number, int which, long at, const char *below) {
    fault.kind = kind; fault.number = number; fault.which = which; fault.at = at;
    snprintf(fault.below, sizeof fault.below, "%s", below);
    *counted = 0;
}

long fault_count(void) { return *counted; }

static int below(const char *path) {
    char whole[PATH_MAX * 2];
    if (path[0] != '/') {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(whole, sizeof whole, "%s/%s", here, path);
        path = whole;
    }
    return strncmp(path, fault.below, strlen(fault.below)) == 0;
}

/* Whether this call is the one that fails; a signal is sent, and the call goes on. */
static int struck(int which, const char *path) {
    if (!(fault.which & which) || !below(path)) return 0;
    long place = __atomic_add_fetch(counted, 1, __ATOMIC_SEQ_CST);
    if (fault.kind == ALWAYS) return place >= fault.at;
    if (place != fault.at) return 0;
    if (fault.kind == SIGNAL) { kill(getpid(), fault.number); return 0; }
    return fault.kind == FAIL || fault.kind == LOST;
}

static const char *named(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return path;
}

static int struck_fd(int which, int fd) {
    char path[PATH_MAX];
    return (fault.which & which) && struck(which, named(fd, path));
}

static size_t shorter(int which, int fd, size_t size) {
    char path[PATH_MAX];
    if (fault.kind != SHORT || !(fault.which & which) || size <= (size_t)fault.number) return size;
    return below(named(fd, path)) ? (size_t)fault.number : size;
}

#define TRUE_ONE(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)
#define FAILED do { errno = fault.number; return -1; } while (0)

ssize_t write(int fd, const void *data, size_t size) {
    TRUE_ONE(write);
    if (struck_fd(WRITES, fd)) FAILED;
    return real(fd, data, shorter(WRITES, fd, size));
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    TRUE_ONE(pwrite64);
    if (struck_fd(WRITES, fd)) FAILED;
    return real(fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    TRUE_ONE(writev);
    if (struck_fd(WRITES, fd)) FAILED;
    return real(fd, parts, count);
}
ssize_t read(int fd, void *data, size_t size) {
    TRUE_ONE(read);
    if (struck_fd(READS, fd)) FAILED;
    return real(fd, data, shorter(READS, fd, size));
}
ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    TRUE_ONE(pread64);
    if (struck_fd(READS, fd)) FAILED;
    return real(fd, data, shorter(READS, fd, size), at);
}
int fsync(int fd) { TRUE_ONE(fsync); if (struck_fd(WRITES, fd)) FAILED; return real(fd); }
int fdatasync(int fd) { TRUE_ONE(fdatasync); if (struck_fd(WRITES, fd)) FAILED; return real(fd); }
int ftruncate64(int fd, off64_t size) { TRUE_ONE(ftruncate64); if (struck_fd(WRITES, fd)) FAILED; return real(fd, size); }
int mkdir(const char *path, mode_t mode) {
    TRUE_ONE(mkdir); if (struck(WRITES, path)) FAILED; return real(path, mode);
}
int rmdir(const char *path) { TRUE_ONE(rmdir); if (struck(WRITES, path)) FAILED; return real(path); }
int unlink(const char *path) { TRUE_ONE(unlink); if (struck(WRITES, path)) FAILED; return real(path); }
int unlinkat(int folder, const char *path, int flags) {
    TRUE_ONE(unlinkat);
    if (folder == AT_FDCWD ? struck(WRITES, path) : struck_fd(WRITES, folder)) FAILED;
    return real(folder, path, flags);
}
int rename(const char *path, const char *target) {
    TRUE_ONE(rename);
    if (struck(WRITES | MOVES, path)) {
        if (fault.kind == LOST) real(path, target); /* it is done, and the answer is lost */
        FAILED;
    }
    return real(path, target);
}

static int opening(int flags) { return flags & (O_WRONLY | O_RDWR | O_CREAT) ? WRITES : READS; }

#define OPEN(name)                                                                  \
    int name(const char *path, int flags, ...) {                                    \
        TRUE_ONE(name);                                                             \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        if (struck(opening(flags), path)) FAILED;                                   \
        return real(path, flags, mode);                                             \
    }
OPEN(open)
OPEN(open64)
