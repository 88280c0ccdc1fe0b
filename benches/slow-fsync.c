/* Preloaded, makes every fsync and fdatasync take a millisecond more, or SLOW_FSYNC_MS, as on a disk that is slow to commit. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_for_the_disk(void)
{
    const char *chosen = getenv("SLOW_FSYNC_MS");
    struct timespec left = {.tv_nsec = 1000000 * (chosen ? atol(chosen) : 1)};
    while (nanosleep(&left, &left) != 0)
        ;
}

int fsync(int file)
{
    wait_for_the_disk();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    wait_for_the_disk();
    return (int)syscall(SYS_fdatasync, file);
}
