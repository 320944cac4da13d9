// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/lexer.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 800 }; // the longest double, written exactly, has 767 digits

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool trmi_begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool trmi_continues_name(char c)
{
    return trmi_begins_name(c) || is_digit(c);
}

int trmi_name_length(const char *text)
{
    int length = 0;
    while (trmi_continues_name(text[length]) ||
           (length > 0 && text[length] == '.' && trmi_begins_name(text[length + 1])))
        length++;
    return length;
}

static trmi_token wrong(trmi_token token, const char *why)
{
    token.kind = TRMI_TOKEN_WRONG;
    token.wrong = why;
    return token;
}

// ---- numbers ----

static int count_digits(const char *text)
{
    int count = 0;
    while (is_digit(text[count]))
        count++;
    return count;
}

// strtod that takes '.' for the decimal point in every locale
static double read_decimal(const char *digits, int length)
{
    const char *point = localeconv()->decimal_point;
    char copy[LONGEST_NUMBER + 16];
    size_t used = 0, width = strlen(point);
    if (width == 0 || width > 8) {
        point = ".";
        width = 1;
    }
    for (int i = 0; i < length; i++) { // at most one '.'
        if (digits[i] == '.') {
            memcpy(copy + used, point, width);
            used += width;
        } else {
            copy[used++] = digits[i];
        }
    }
    copy[used] = '\0';
    return strtod(copy, NULL);
}

// whether there is a digit other than 0 before the exponent
static bool is_written_nonzero(const char *digits, int length)
{
    for (int i = 0; i < length && (is_digit(digits[i]) || digits[i] == '.'); i++)
        if (digits[i] >= '1' && digits[i] <= '9')
            return true;
    return false;
}

// 12, 3., .5, 1.5e-3: digits and at most one point, then perhaps an exponent
static trmi_token read_number(const char *text, trmi_token token)
{
    const char *start = text + token.offset;
    int length = count_digits(start);
    if (start[length] == '.')
        length += 1 + count_digits(start + length + 1);
    token.kind = TRMI_TOKEN_NUMBER;
    token.length = length;
    if (start[length] == 'e' || start[length] == 'E') {
        int sign = start[length + 1] == '+' || start[length + 1] == '-';
        int digits = count_digits(start + length + 1 + sign);
        token.length = length + 1 + sign + digits;
        if (digits == 0)
            return wrong(token, "the exponent of this number has no digits");
    }
    if (token.length > LONGEST_NUMBER)
        return wrong(token, "this number has more than 800 characters");
    token.value = read_decimal(start, token.length);
    if (isinf(token.value))
        return wrong(token, "this number is too large; the largest is about 1.8e308");
    if (token.value == 0 && is_written_nonzero(start, token.length))
        return wrong(token, "this number is too small; the smallest is about 4.9e-324");
    return token;
}

// ---- names and words ----

static trmi_token read_name(const char *text, trmi_token token)
{
    static const struct {
        const char *text;
        trmi_token_kind kind;
    } word[] = {{"and", TRMI_TOKEN_AND}, {"or", TRMI_TOKEN_OR}, {"not", TRMI_TOKEN_NOT}};
    const char *start = text + token.offset;
    token.kind = TRMI_TOKEN_NAME;
    token.length = trmi_name_length(start);
    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        if (strlen(word[k].text) == (size_t)token.length &&
            !memcmp(start, word[k].text, (size_t)token.length))
            token.kind = word[k].kind;
    return token;
}

// ---- signs ----

typedef struct sign {
    const char *text;
    trmi_token_kind kind;
    const char *wrong; // what to write instead
} sign;

// longer ones before those that they begin with
static const sign signs[] = {
    {"<=", TRMI_TOKEN_LESS_EQUAL, NULL},
    {">=", TRMI_TOKEN_GREATER_EQUAL, NULL},
    {"==", TRMI_TOKEN_EQUAL, NULL},
    {"!=", TRMI_TOKEN_NOT_EQUAL, NULL},
    {"**", TRMI_TOKEN_WRONG, "powers are written with '^'"},
    {"&&", TRMI_TOKEN_WRONG, "write 'and'"},
    {"||", TRMI_TOKEN_WRONG, "write 'or'"},
    {"<>", TRMI_TOKEN_WRONG, "write '!=' for 'is not equal'"},
    {"(", TRMI_TOKEN_OPEN, NULL},
    {")", TRMI_TOKEN_CLOSE, NULL},
    {",", TRMI_TOKEN_COMMA, NULL},
    {"+", TRMI_TOKEN_PLUS, NULL},
    {"-", TRMI_TOKEN_MINUS, NULL},
    {"*", TRMI_TOKEN_TIMES, NULL},
    {"/", TRMI_TOKEN_OVER, NULL},
    {"^", TRMI_TOKEN_POWER, NULL},
    {"<", TRMI_TOKEN_LESS, NULL},
    {">", TRMI_TOKEN_GREATER, NULL},
    {"=", TRMI_TOKEN_WRONG, "write '==' to compare"},
    {"!", TRMI_TOKEN_WRONG, "write 'not'"},
    {"&", TRMI_TOKEN_WRONG, "write 'and'"},
    {"|", TRMI_TOKEN_WRONG, "write 'or', or abs(x) for an absolute value"},
    {"%", TRMI_TOKEN_WRONG, "write mod(a, b) for a remainder"},
    {"[", TRMI_TOKEN_WRONG, "only round parentheses group"},
    {"]", TRMI_TOKEN_WRONG, "only round parentheses group"},
    {"{", TRMI_TOKEN_WRONG, "only round parentheses group"},
    {"}", TRMI_TOKEN_WRONG, "only round parentheses group"},
    {";", TRMI_TOKEN_WRONG, "arguments are separated by ','"},
    {"'", TRMI_TOKEN_WRONG, "derivatives are not written in formulas"},
};

// bytes of the UTF-8 character that begins here, as far as they are there
static int character_length(const char *start)
{
    int length = 1;
    if ((unsigned char)start[0] >= 0xC0)
        while (length < 4 && ((unsigned char)start[length] & 0xC0) == 0x80)
            length++;
    return length;
}

static trmi_token read_sign(const char *text, trmi_token token)
{
    const char *start = text + token.offset;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        size_t length = strlen(signs[k].text);
        if (strncmp(start, signs[k].text, length) != 0)
            continue;
        token.kind = signs[k].kind;
        token.length = (int)length;
        token.wrong = signs[k].wrong;
        return token;
    }
    token.length = character_length(start);
    return wrong(token, "this character has no meaning in a formula");
}

trmi_token trmi_next_token(const char *text, int offset)
{
    while (text[offset] == ' ' || text[offset] == '\t' || text[offset] == '\n' ||
           text[offset] == '\r')
        offset++;
    trmi_token token = {.kind = TRMI_TOKEN_END, .offset = offset};
    const char *start = text + offset;
    if (!*start)
        return token;
    if (is_digit(*start) || (*start == '.' && is_digit(start[1])))
        return read_number(text, token);
    if (trmi_begins_name(*start))
        return read_name(text, token);
    return read_sign(text, token);
}
