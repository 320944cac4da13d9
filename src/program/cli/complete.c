// SPDX-License-Identifier: Apache-2.0
#include "program/cli/complete.h"

#include "base/error.h"
#include "modelling/reader/keys/keys.h"
#include "program/cli/command.h"
#include "program/files/reader.h"
#include "program/reproduce/catalogue.h"

#include <stdlib.h>
#include <string.h>

// The line being completed.
typedef struct line {
    const trmi_command *command;
    const char *plain[TRMI_MAX_ARGUMENTS]; // words before the last that are not options
    int plains;
    const trmi_flag *flag; // the last word is its value; NULL: it is not
    const char *before;    // what comes before the part that is completed: "--theme=", "x,"
    size_t before_length;
    const char *part; // the part that is completed
} line;

// one candidate, if it fits: begin and end are written together
static void offer(const line *l, const char *begin, const char *end, const char *meaning)
{
    char word[600];
    snprintf(word, sizeof word, "%.290s%.290s", begin, end);
    if (strncmp(word, l->part, strlen(l->part)) != 0)
        return;
    trmi_print("%.*s%s%s%s\n", (int)l->before_length, l->before, word, meaning ? "\t" : "",
               meaning ? meaning : "");
}

// "auto always never", or "bash|zsh|fish"
static void offer_words(const line *l, const char *words, const char *between)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, between);
        char word[100];
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        offer(l, word, "", NULL);
        at += length + strspn(at + length, between);
    }
}

static void offer_commands(const line *l)
{
    const trmi_command *command;
    for (int i = 0; (command = trmi_command_at(i)); i++)
        offer(l, command->name, "", command->summary);
}

static void offer_flags(const line *l)
{
    const trmi_flag *flag;
    for (int i = 0; (flag = trmi_command_flag(l->command, i)); i++)
        offer(l, "--", flag->name, flag->help);
}

// the channels of the first result on the line; after a comma those of a list
static void offer_channels(const line *l)
{
    trm_error error = trmi_no_error();
    trmi_result *r = l->plains > 0 ? trmi_result_open(l->plain[0], &error) : NULL;
    const char *comma = strrchr(l->part, ',');
    char begin[300];
    line rest = *l;
    if (comma && l->before_length == 0) {
        rest.before = l->part;
        rest.before_length = (size_t)(comma + 1 - l->part);
        rest.part = comma + 1;
    }
    for (int i = 0; r && i < trmi_result_channels(r); i++) {
        const trmi_channel *c = trmi_result_channel(r, i);
        const char *meaning = c->description[0] ? c->description : c->unit[0] ? c->unit : NULL;
        snprintf(begin, sizeof begin, "%.200s%s", c->group, c->group[0] ? "/" : "");
        offer(&rest, begin, c->name, meaning);
        if (rest.part[0] && trmi_result_find(r, c->name, &error) == i)
            offer(&rest, c->name, "", meaning);
    }
    trmi_result_close(r);
}

static void offer_examples(const line *l, const trmi_shelf *shelf)
{
    trmi_catalogue all;
    char name[200];
    if (trmi_catalogue_find(&all, shelf, NULL, 0) == TRMI_EXIT_DONE)
        for (int i = 0; i < all.count; i++)
            offer(l, trmi_stem(all.path[i], name, sizeof name), "", NULL);
    trmi_catalogue_release(&all);
}

// keys below `up` as far as the part goes: simulate.tolerance=, and words of a key after that
static void offer_key(const line *l, const trmi_key *up, const char *path)
{
    char name[300];
    for (const trmi_key *key = up->below; key; key = key->next) {
        if (strcmp(trmi_key_name(key), "*") == 0)
            continue;
        snprintf(name, sizeof name, "%.180s%s%.100s", path, path[0] ? "." : "", trmi_key_name(key));
        size_t length = strlen(name);
        if (strncmp(l->part, name, length) == 0 && l->part[length] == '.') {
            offer_key(l, key, name);
        } else if (strncmp(l->part, name, length) == 0 && l->part[length] == '=') {
            char begin[320];
            const char *const *word = trmi_key_choices(key);
            snprintf(begin, sizeof begin, "%s=", name);
            for (int i = 0; word && word[i]; i++)
                offer(l, begin, word[i], NULL);
        } else {
            bool map = key->kind == TRMI_KEY_SECTION;
            offer(l, name, map ? "." : "=", trmi_key_help(key));
        }
    }
}

static void offer_keys(const line *l)
{
    trmi_key *tree = calloc((size_t)trmi_keys_count(&trmi_model_keys), sizeof *tree);
    const trmi_key *root = tree ? trmi_keys_build(&trmi_model_keys, tree) : NULL;
    if (root)
        offer_key(l, root, "");
    free(tree);
}

// What a placeholder of the tables of options and commands stands for.
static void offer_placeholder(const line *l, const char *what)
{
    if (strcmp(what, "MODEL") == 0 || strcmp(what, "STUDY") == 0)
        trmi_print(":files yaml yml json\n");
    else if (strcmp(what, "RESULT") == 0)
        trmi_print(":files h5 csv\n");
    else if (strcmp(what, "FILE") == 0)
        trmi_print(":files\n");
    else if (strcmp(what, "FOLDER") == 0)
        trmi_print(":folders\n");
    else if (strcmp(what, "CHANNEL") == 0)
        offer_channels(l);
    else if (strcmp(what, "COMMAND") == 0)
        offer_commands(l);
    else if (strcmp(what, "PATH=VALUE") == 0)
        offer_keys(l);
    else if (strcmp(what, "NAME") == 0)
        offer_examples(l, l->command == &trmi_cmd_new ? &trmi_mechanisms : &trmi_experiments);
    else if (strchr(what, '|'))
        offer_words(l, what, "|");
}

// "RESULT... [CHANNEL...]", "RESULT... | MODEL": what the next plain word may be
static void offer_argument(const line *l)
{
    const char *at = l->command->arguments + strspn(l->command->arguments, "[");
    for (int place = 0; *at; at += strspn(at, " [")) {
        char what[60];
        size_t length = strcspn(at, " ]");
        snprintf(what, sizeof what, "%.*s", (int)length, at);
        at += length + strspn(at + length, "]");
        if (strcmp(what, "|") == 0) {
            place = 0;
            continue;
        }
        char *dots = strstr(what, "...");
        if (dots)
            *dots = '\0';
        if (place == l->plains || (dots && place < l->plains))
            offer_placeholder(l, what);
        place++;
    }
}

// The flag of a word "--name" (then length is that of the name) or "-n".
static const trmi_flag *flag_of(const trmi_command *command, const char *word, size_t length)
{
    const trmi_flag *flag;
    for (int i = 0; (flag = trmi_command_flag(command, i)); i++)
        if ((word[1] == '-' && strlen(flag->name) == length &&
             strncmp(word + 2, flag->name, length) == 0) ||
            (word[1] && word[1] == flag->letter && !word[2]))
            return flag;
    return NULL;
}

// Reads the words before the last. A shell may give "--theme=dark" as three words.
static void read_words(line *l, const char *const *word, int count)
{
    for (int i = 1; i < count - 1; i++) {
        const char *w = word[i];
        l->flag = NULL;
        if (w[0] != '-' || !w[1]) {
            l->plain[l->plains++] = w;
        } else if (!strchr(w, '=')) {
            l->flag = flag_of(l->command, w, strlen(w) - (w[1] == '-' ? 2 : 1));
            bool value = l->flag && l->flag->value;
            l->flag = value ? l->flag : NULL;
            if (value && i + 1 < count - 1 && strcmp(word[i + 1], "=") == 0)
                i++;
            if (value && i + 1 < count - 1) { // its value is there
                l->flag = NULL;
                i++;
            }
        }
    }
    const char *last = word[count - 1], *equals = strchr(last, '=');
    if (l->flag && strcmp(last, "=") == 0) {
        l->part = "";
    } else if (!l->flag && last[0] == '-' && last[1] == '-' && equals) {
        l->flag = flag_of(l->command, last, (size_t)(equals - last) - 2);
        l->before = last;
        l->before_length = (size_t)(equals + 1 - last);
        l->part = equals + 1;
    }
}

void trmi_complete(const char *const *word, int count)
{
    line l = {.part = count > 0 ? word[count - 1] : ""};
    if (count <= 1) {
        offer_commands(&l);
        offer_placeholder(&l, "MODEL");
        return;
    }
    l.command = trmi_command_find(word[0]);
    if (!l.command) { // trammel MODEL is trammel run MODEL
        l.command = &trmi_cmd_run;
        l.plain[l.plains++] = word[0];
    }
    read_words(&l, word, count);
    if (l.flag && l.flag->choices)
        offer_words(&l, l.flag->choices, " ");
    else if (l.flag)
        offer_placeholder(&l, l.flag->value);
    else if (l.part[0] == '-')
        offer_flags(&l);
    else
        offer_argument(&l);
}
