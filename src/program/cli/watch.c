// SPDX-License-Identifier: Apache-2.0
// The process that serves pages. It knows three addresses: / is the page, /data?ID the data of the
// result as far as it was flushed, which a page asks for again and again, until /closed?ID. The
// number ID is a page's own, so that each gets the end of the run.
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

static const double PATIENCE = 2; // s, for a request, and for a reader who takes nothing

enum { CLIENTS = 32, PAGES = 32, REQUEST_BYTES = 4000 };

// A connection whose request has not come as a whole; browsers open some that they do not use.
typedef struct client {
    int fd; // < 0: none
    double since;
    size_t length;
    char request[REQUEST_BYTES];
} client;

typedef struct page {
    unsigned long long id; // 0: none
    double asked;          // when it did so last
    bool complete;         // it has got the data since the run has ended
} page;

typedef struct server {
    const char *path; // of the result
    int listener, pipe;
    client client[CLIENTS];
    page page[PAGES];
    double loaded; // when a page was sent that has not asked yet; 0: there is none
    double taken;  // seconds for the last answer
    bool ended;    // the run has
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

// the page of that number, or a place for it: the first that is free, or the one that is silent
// for the longest time
static page *find_page(server *s, unsigned long long id)
{
    page *oldest = s->page;
    for (int k = 0; k < PAGES; k++) {
        if (s->page[k].id == id)
            return &s->page[k];
        if (s->page[k].asked < oldest->asked)
            oldest = &s->page[k];
    }
    *oldest = (page){.id = id};
    return oldest;
}

static void send_data(server *s, int client, page *to)
{
    char title[300], *data = read_data(s, title, sizeof title);
    if (data)
        answer(client, "200 OK", "application/json", data, strlen(data));
    else
        answer(client, "503 Service Unavailable", "text/plain", "", 0);
    to->complete = data && s->ended;
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

// the number after a path of the request, for example "GET /data?12 HTTP/1.1"; 0: another request
static unsigned long long id_after(const char *request, const char *path)
{
    size_t length = strlen(path);
    return strncmp(request, path, length) == 0 ? strtoull(request + length, NULL, 10) : 0;
}

static void serve(server *s, const client *c)
{
    const char *request = c->request;
    const double now = trmi_clock_seconds();
    unsigned long long asks = id_after(request, "GET /data?");
    unsigned long long leaves = id_after(request, "POST /closed?");
    if (!is_local(request)) {
        answer(c->fd, "403 Forbidden", "text/plain", "", 0);
    } else if (leaves) {
        *find_page(s, leaves) = (page){0};
        answer(c->fd, "204 No Content", "text/plain", "", 0);
    } else if (strncmp(request, "GET / ", 6) == 0) {
        s->loaded = now;
        send_page(s, c->fd);
    } else if (asks) {
        page *from = find_page(s, asks);
        from->asked = now;
        s->loaded = 0;
        send_data(s, c->fd, from);
    } else {
        answer(c->fd, "404 Not Found", "text/plain", "", 0);
    }
    s->taken = trmi_clock_seconds() - now;
}

static void end_client(client *c)
{
    close(c->fd);
    c->fd = -1;
}

// takes a connection; of too many, the oldest is closed
static void take_client(server *s)
{
    int fd = accept(s->listener, NULL, NULL);
    if (fd < 0)
        return;
    const struct timeval patience = {.tv_sec = (time_t)PATIENCE};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    client *place = s->client;
    for (int k = 0; k < CLIENTS && place->fd >= 0; k++)
        if (s->client[k].fd < 0 || s->client[k].since < place->since)
            place = &s->client[k];
    if (place->fd >= 0)
        end_client(place);
    place->fd = fd;
    place->since = trmi_clock_seconds();
    place->length = 0;
    place->request[0] = '\0';
}

// what has come of a request; one that is whole, or too long, is answered
static void read_client(server *s, client *c)
{
    ssize_t got = recv(c->fd, c->request + c->length, REQUEST_BYTES - 1 - c->length, MSG_DONTWAIT);
    if (got > 0) {
        c->length += (size_t)got;
        c->request[c->length] = '\0';
        if (!strstr(c->request, "\r\n\r\n") && c->length + 1 < REQUEST_BYTES)
            return;
        serve(s, c);
    }
    if (got >= 0 || (errno != EAGAIN && errno != EINTR))
        end_client(c);
}

// ---- the process ----

// Whether a page waits for the end of the run.
static bool is_watched(const server *s)
{
    const double now = trmi_clock_seconds(), gone = GONE_AFTER + 10 * s->taken;
    bool watched = s->loaded > 0 && now - s->loaded < gone;
    for (int k = 0; k < PAGES; k++) {
        const page *p = &s->page[k];
        watched = watched || (p->id && !p->complete && now - p->asked < gone);
    }
    return watched;
}

static void serve_all(server *s)
{
    const double quarter = 250; // ms
    while (!s->ended || is_watched(s)) {
        struct pollfd wait[CLIENTS + 2];
        for (int k = 0; k < CLIENTS; k++)
            wait[k] = (struct pollfd){.fd = s->client[k].fd, .events = POLLIN};
        wait[CLIENTS] = (struct pollfd){.fd = s->listener, .events = POLLIN};
        wait[CLIENTS + 1] = (struct pollfd){.fd = s->ended ? -1 : s->pipe, .events = POLLIN};
        int ready = poll(wait, CLIENTS + 2, (int)quarter);
        if (ready < 0 && errno != EINTR)
            return;
        if (ready > 0 && wait[CLIENTS + 1].revents)
            s->ended = true;
        for (int k = 0; k < CLIENTS; k++) {
            client *c = &s->client[k];
            if (c->fd >= 0 && ready > 0 && wait[k].revents)
                read_client(s, c);
            else if (c->fd >= 0 && trmi_clock_seconds() - c->since > PATIENCE)
                end_client(c);
        }
        if (ready > 0 && wait[CLIENTS].revents)
            take_client(s);
    }
}

static int listen_locally(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 &&
        listen(listener, SOMAXCONN) == 0 &&
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
        int reason = errno;
        if (listener >= 0)
            close(listener);
        return trmi_usage_error("--watch: cannot listen on 127.0.0.1: %s", strerror(reason));
    }
    fflush(NULL); // what is buffered would be written by both
    server *s = calloc(1, sizeof *s);
    pid_t process = s ? fork() : -1;
    int reason = errno;
    if (process == 0) {
        signal(SIGINT, SIG_IGN); // the run ends, then this process
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        close(ends[1]);
        s->path = path;
        s->listener = listener;
        s->pipe = ends[0];
        for (int k = 0; k < CLIENTS; k++)
            s->client[k].fd = -1;
        serve_all(s);
        _exit(0);
    }
    free(s);
    close(listener);
    close(ends[0]);
    if (process < 0) {
        close(ends[1]);
        return trmi_usage_error("--watch: no process for the page: %s", strerror(reason));
    }
    watch->process = (int)process;
    watch->pipe = ends[1];
    return true;
}

void trmi_live_watch_end(trmi_live_watch *watch)
{
    if (watch->process == 0)
        return;
    int status = 0;
    close(watch->pipe);
    while (waitpid((pid_t)watch->process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        trmi_print_to(stderr, "--watch: the process of the page was ended by signal %d\n",
                      WTERMSIG(status));
    watch->process = 0;
}
