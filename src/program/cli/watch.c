// SPDX-License-Identifier: Apache-2.0
// The process that serves the page. It knows three addresses: / is the page, /data the data of the
// result as far as it was flushed, which the page asks for again and again, until it is /closed.
#define _POSIX_C_SOURCE 200809L
#include "program/cli/watch.h"

#include "base/clock.h"
#include "base/error.h"
#include "program/cli/report.h"
#include "program/cli/view_results.h"
#include "program/view/view_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// A page asks a while after it has shown what it got, and reports that it is closed. One that has
// not asked for so long, beside ten times as long as its last answer took, was closed without a
// word.
static const double GONE_AFTER = 30; // s

typedef struct server {
    const char *path; // of the result
    int listener, pipe;
    double asked;  // when a page asked last; 0: none has
    double taken;  // seconds for the last answer
    bool ended;    // the run has
    bool complete; // a page has got the data since then
} server;

// ---- answers ----

static void send_all(int client, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(client, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return; // the reader has gone
        data += sent;
        size -= (size_t)sent;
    }
}

static void answer(int client, const char *status, const char *type, const char *body, size_t size)
{
    char head[300];
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
             "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
             status, type, size);
    send_all(client, head, strlen(head));
    send_all(client, body, size);
}

// the result as the data of a page; NULL while there is nothing to read
static char *read_data(const server *s, char *title, size_t size)
{
    trmi_json json = {0};
    trm_error error = trmi_no_error();
    trmi_result *result = trmi_result_open(s->path, &error);
    const double *t;
    int64_t rows = 0;
    if (!result || trmi_result_time(result, false, &t, &rows, &error) != TRM_OK || rows == 0) {
        trmi_result_close(result);
        return NULL;
    }
    const char *name = trmi_result_attribute(result, "title");
    snprintf(title, size, "%s", name && name[0] ? name : s->path);
    trmi_view_begin(&json);
    trm_status status = trmi_view_add_result(&json, result, s->path, (trmi_view_limits){0}, &error);
    trmi_result_close(result);
    trmi_view_end(&json, !s->ended);
    char *data = status == TRM_OK ? trmi_json_take(&json) : NULL;
    if (!data)
        trmi_json_free(&json);
    return data;
}

static void send_page(const server *s, int client)
{
    static const char wait[] = "<!doctype html><meta http-equiv=refresh content=1>"
                               "<p>The run has not written anything yet.";
    char title[300] = "", *page = NULL, *data = read_data(s, title, sizeof title);
    size_t size = 0;
    FILE *out = data ? open_memstream(&page, &size) : NULL;
    if (out) {
        trmi_view_write_page(out, title, data);
        fclose(out);
        answer(client, "200 OK", "text/html", page, size);
    } else {
        answer(client, "200 OK", "text/html", wait, sizeof wait - 1);
    }
    free(page);
    free(data);
}

static void send_data(server *s, int client)
{
    char title[300], *data = read_data(s, title, sizeof title);
    if (data)
        answer(client, "200 OK", "application/json", data, strlen(data));
    else
        answer(client, "503 Service Unavailable", "text/plain", "", 0);
    s->complete = s->complete || (data && s->ended);
    free(data);
}

// A page of another site may not read the run through a name that leads here.
static bool is_local(const char *request)
{
    const char *line = strstr(request, "\r\n");
    while (line && strncasecmp(line + 2, "Host: ", 6) != 0)
        line = strstr(line + 2, "\r\n");
    return line &&
           (strncmp(line + 8, "127.0.0.1:", 10) == 0 || strncmp(line + 8, "localhost:", 10) == 0);
}

static void serve(server *s)
{
    char request[4000];
    size_t length = 0;
    int client = accept(s->listener, NULL, NULL);
    if (client < 0)
        return;
    const struct timeval patience = {.tv_sec = 2};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    request[0] = '\0';
    while (length + 1 < sizeof request && !strstr(request, "\r\n\r\n")) {
        ssize_t got = recv(client, request + length, sizeof request - 1 - length, 0);
        if (got <= 0)
            break;
        length += (size_t)got;
        request[length] = '\0';
    }
    bool local = is_local(request), closed = strncmp(request, "POST /closed ", 13) == 0;
    if (local)
        s->asked = closed ? 0 : trmi_clock_seconds();
    if (!local)
        answer(client, "403 Forbidden", "text/plain", "", 0);
    else if (closed)
        answer(client, "204 No Content", "text/plain", "", 0);
    else if (strncmp(request, "GET / ", 6) == 0)
        send_page(s, client);
    else if (strncmp(request, "GET /data ", 10) == 0)
        send_data(s, client);
    else
        answer(client, "404 Not Found", "text/plain", "", 0);
    close(client);
    s->taken = trmi_clock_seconds() - s->asked;
}

// ---- the process ----

static void serve_all(server *s)
{
    const double quarter = 250; // ms
    while (true) {
        struct pollfd wait[2] = {{.fd = s->listener, .events = POLLIN},
                                 {.fd = s->ended ? -1 : s->pipe, .events = POLLIN}};
        int ready = poll(wait, 2, (int)quarter);
        if (ready < 0 && errno != EINTR)
            return;
        if (ready > 0 && wait[1].revents)
            s->ended = true;
        if (ready > 0 && wait[0].revents)
            serve(s);
        bool watched = s->asked > 0 && trmi_clock_seconds() - s->asked < GONE_AFTER + 10 * s->taken;
        if (s->ended && (s->complete || !watched))
            return;
    }
}

static int listen_locally(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 &&
        listen(listener, 8) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return listener;
    }
    if (listener >= 0)
        close(listener);
    return -1;
}

bool trmi_live_watch_begin(trmi_live_watch *watch, const char *path)
{
    int ends[2] = {-1, -1}, listener = listen_locally(&watch->port);
    if (listener < 0 || pipe(ends) != 0) {
        if (listener >= 0)
            close(listener);
        return trmi_usage_error("--watch: cannot listen on 127.0.0.1: %s", strerror(errno));
    }
    fflush(NULL); // what is buffered would be written by both
    pid_t process = fork();
    if (process == 0) {
        signal(SIGINT, SIG_IGN); // the run ends, then this process
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        close(ends[1]);
        server s = {.path = path, .listener = listener, .pipe = ends[0]};
        serve_all(&s);
        _exit(0);
    }
    close(listener);
    close(ends[0]);
    if (process < 0) {
        close(ends[1]);
        return trmi_usage_error("--watch: no process for the page: %s", strerror(errno));
    }
    watch->process = (int)process;
    watch->pipe = ends[1];
    return true;
}

void trmi_live_watch_end(trmi_live_watch *watch)
{
    if (watch->process == 0)
        return;
    close(watch->pipe);
    while (waitpid((pid_t)watch->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    watch->process = 0;
}
