// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // prctl
#include "program/study/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// A message of a worker, followed by the line; of its keeper: run is -1 and code a signal. Messages
// keep their limits (SOCK_SEQPACKET), so that a killed worker leaves none in pieces.
typedef struct message {
    int64_t run;
    int code;
    int length;
} message;

// Less than what a socket takes at once, 208 KiB; TRMI_MAX_RESULTS numbers of 24 characters, and
// what else a line has.
enum { LONGEST_LINE = 200000 };

// signals of the terminal are for the process that started the study; ends with the one above it
static void stay_quiet(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void simulate_all(int socket, const trmi_plan *plan)
{
    static const trmi_stop never = 0;
    trmi_study_row row = {0};
    char *buffer = malloc(sizeof(message) + LONGEST_LINE);
    for (int64_t run; buffer && read(socket, &run, sizeof run) == (ssize_t)sizeof run;) {
        trmi_plan_simulate(plan, run, &never, &row);
        bool fits = !row.line.failed && row.line.length <= LONGEST_LINE;
        message m = {run, row.code, fits ? (int)row.line.length : 0};
        if (!fits) // no memory for its line: as if it had been killed
            _exit(1);
        memcpy(buffer, &m, sizeof m);
        memcpy(buffer + sizeof m, row.line.data, (size_t)m.length);
        if (write(socket, buffer, sizeof m + (size_t)m.length) < 0)
            break;
    }
    _exit(0);
}

// starts workers until one ends by itself
static void keep(int socket, const trmi_plan *plan)
{
    stay_quiet();
    for (;;) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            stay_quiet();
            simulate_all(socket, plan);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 ||
            (WIFEXITED(status) && WEXITSTATUS(status) == 0))
            _exit(0);
        message m = {-1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, 0};
        if (write(socket, &m, sizeof m) < 0)
            _exit(0);
    }
}

bool trmi_worker_start(trmi_worker *w, const trmi_plan *plan)
{
    int end[2];
    *w = (trmi_worker){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, end) != 0)
        return false;
    const int space = 2 * LONGEST_LINE; // where the system allows it; that of Linux is enough
    setsockopt(end[1], SOL_SOCKET, SO_SNDBUF, &space, sizeof space);
    pid_t keeper = fork();
    if (keeper == 0) {
        close(end[0]);
        keep(end[1], plan);
    }
    close(end[1]);
    if (keeper < 0)
        close(end[0]);
    else
        w->socket = end[0];
    return keeper > 0;
}

bool trmi_worker_give(trmi_worker *w, int64_t run)
{
    if (w->socket < 0 || send(w->socket, &run, sizeof run, MSG_NOSIGNAL) != (ssize_t)sizeof run)
        return false;
    w->run[w->given++] = run;
    return true;
}

// takes a run off those that it has, -1: the first one; which, -1: none
static int64_t take_off(trmi_worker *w, int64_t run)
{
    int at = 0;
    while (at < w->given && run >= 0 && w->run[at] != run)
        at++;
    if (at >= w->given)
        return run;
    run = w->run[at];
    w->given--;
    for (int k = at; k < w->given; k++)
        w->run[k] = w->run[k + 1];
    return run;
}

trmi_worker_event trmi_worker_take(trmi_worker *w, trmi_study_row *row)
{
    char buffer[sizeof(message) + LONGEST_LINE];
    message m;
    ssize_t size =
        w->socket >= 0 ? recv(w->socket, buffer, sizeof buffer, MSG_DONTWAIT) : (ssize_t)0;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return TRMI_WORKER_NOTHING;
    if (size < (ssize_t)sizeof m) { // the socket is closed: worker and keeper are gone
        bool started = w->given <= 1;
        row->run = take_off(w, started ? -1 : w->run[w->given - 1]);
        row->code = 0;
        return !started        ? TRMI_WORKER_RETURNED
               : row->run >= 0 ? TRMI_WORKER_LOST
                               : TRMI_WORKER_GONE;
    }
    memcpy(&m, buffer, sizeof m);
    // One that was killed while it waited has left the run that it was to get to the next: then it
    // is done twice, and the second row is not needed.
    row->run = take_off(w, m.run);
    row->code = m.code;
    trmi_text_clear(&row->line);
    if (m.run < 0)
        return row->run >= 0 ? TRMI_WORKER_LOST : TRMI_WORKER_NOTHING;
    trmi_text_add_bytes(&row->line, buffer + sizeof m, (size_t)m.length);
    return TRMI_WORKER_ROW;
}

void trmi_worker_end(trmi_worker *w)
{
    if (w->socket >= 0)
        close(w->socket);
    w->socket = -1;
}
