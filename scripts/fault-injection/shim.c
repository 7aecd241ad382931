/*
 * Injects disk errors and a wrong clock into a program at run time, by LD_PRELOAD. The file FAULT_CONTROL contains two
 * 64-bit numbers, which another program can change at any time: the error of every change to a file below FAULT_ROOT
 * (0 = none), and the offset of the wall clock in seconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
  volatile int64_t error;
  volatile int64_t off_s;
};

static struct control none;
static struct control *control = &none;
static const char *root = "";

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULT_CONTROL");
  root = getenv("FAULT_ROOT") ? getenv("FAULT_ROOT") : "";
  if (!path) return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(0, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) control = mapped;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int is_below(const char *path) {
  return *root && path && strncmp(path, root, strlen(root)) == 0;
}

/* Sets errno and returns 1 if a change to this file has to fail. */
static int fails(int file) {
  if (!control->error) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!is_below(path)) return 0;
  errno = (int)control->error;
  return 1;
}

static int fails_at(const char *path) {
  if (!control->error || !is_below(path)) return 0;
  errno = (int)control->error;
  return 1;
}

ssize_t write(int file, const void *bytes, size_t size) { REAL(write); return fails(file) ? -1 : real(file, bytes, size); }
ssize_t writev(int file, const struct iovec *parts, int count) { REAL(writev); return fails(file) ? -1 : real(file, parts, count); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { REAL(pwrite); return fails(file) ? -1 : real(file, bytes, size, at); }
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) { REAL(pwrite64); return fails(file) ? -1 : real(file, bytes, size, at); }
int ftruncate(int file, off_t size) { REAL(ftruncate); return fails(file) ? -1 : real(file, size); }
int ftruncate64(int file, off64_t size) { REAL(ftruncate64); return fails(file) ? -1 : real(file, size); }
int fsync(int file) { REAL(fsync); return fails(file) ? -1 : real(file); }
int fdatasync(int file) { REAL(fdatasync); return fails(file) ? -1 : real(file); }
int unlink(const char *path) { REAL(unlink); return fails_at(path) ? -1 : real(path); }
int rename(const char *from, const char *to) { REAL(rename); return fails_at(to) ? -1 : real(from, to); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return fails_at(path) ? -1 : real(path, mode); }
int fallocate(int file, int mode, off_t at, off_t size) { REAL(fallocate); return fails(file) ? -1 : real(file, mode, at, size); }
int posix_fallocate(int file, off_t at, off_t size) { REAL(posix_fallocate); return fails(file) ? errno : real(file, at, size); }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    /* A read-only disk refuses opening for writing; a broken one only refuses creating a file. */ \
    int is_change = (flags & O_CREAT && access(path, F_OK) != 0) || (control->error == EROFS && (flags & O_ACCMODE) != O_RDONLY); \
    return is_change && fails_at(path) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int clock_gettime(clockid_t which, struct timespec *now) {
  REAL(clock_gettime);
  int answer = real(which, now);
  if (answer == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += control->off_s;
  return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  int answer = real(now, zone);
  if (answer == 0 && now) now->tv_sec += control->off_s;
  return answer;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
