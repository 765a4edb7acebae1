// The parser as one call: source in, a flat list of nodes out. There is no
// file, clock, environment or standard output here, and no memory but one
// arena, which every parse begins anew: what a parse does depends on its
// source and its budget alone.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tree_sitter/api.h"
#include "tree_cursor.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

const TSLanguage *tree_sitter_python(void);

// Whether the caller wants the parse to end.
__attribute__((import_module("env"), import_name("stop"))) int32_t stop(void);

// ---- memory: blocks of 44 sizes, each with a list of free ones

#define PAGE 65536u
#define SIZES 44
#define LIMIT (96u << 20)

extern unsigned char __heap_base;

// Before each block stands how much it holds; a free one begins with the next.
typedef struct { uint32_t size, class; } Head;
typedef struct Free { struct Free *next; } Free;

static Free *idle[SIZES];
static unsigned char *top;
static int32_t exhausted;

static void arena_reset(void) {
  memset(idle, 0, sizeof idle);
  top = (unsigned char *)(((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15);
  exhausted = 0;
}

static _Noreturn void give_up(void) {
  exhausted = 1;
  __builtin_trap();
}

// Sizes double from 16 bytes, with one step between: 16, 24, 32, 48, 64, 96, …
static uint32_t size_class(size_t size, uint32_t *rounded) {
  if (size > LIMIT) give_up();
  if (size < 16) size = 16;
  uint32_t bits = 32 - __builtin_clz((uint32_t)size - 1), up = 1u << bits, between = up - up / 4;
  *rounded = size <= between ? between : up;
  return 2 * bits - 8 - (size <= between);
}

static void *take(size_t size) {
  uint32_t rounded, class = size_class(size, &rounded);
  if (class < SIZES && idle[class]) {
    Free *f = idle[class];
    idle[class] = f->next;
    return f;
  }
  uint32_t need = sizeof(Head) + rounded;
  uint32_t end = (uint32_t)(uintptr_t)top + need;
  if (end > LIMIT) give_up();
  uint32_t have = (uint32_t)__builtin_wasm_memory_size(0) * PAGE;
  if (end > have) {
    uint32_t pages = (end - have + PAGE - 1) / PAGE, more = have / PAGE / 2;
    if (more < pages || have + more * PAGE > LIMIT) more = pages;
    if (__builtin_wasm_memory_grow(0, more) == (size_t)-1) give_up();
  }
  Head *h = (Head *)top;
  top += need;
  *h = (Head){rounded, class};
  return h + 1;
}

void *malloc(size_t size) { return take(size); }

void free(void *p) {
  if (!p) return;
  uint32_t class = ((Head *)p - 1)->class;
  if (class >= SIZES) return;
  ((Free *)p)->next = idle[class];
  idle[class] = p;
}

void *calloc(size_t n, size_t size) {
  if (size && n > LIMIT / size) give_up();
  void *p = take(n * size);
  memset(p, 0, n * size);
  return p;
}

void *realloc(void *p, size_t size) {
  if (!p) return take(size);
  uint32_t have = ((Head *)p - 1)->size;
  if (size <= have) return p;
  void *q = take(size);
  memcpy(q, p, have);
  free(p);
  return q;
}

// ---- what the runtime mentions for its logs and never calls

typedef struct _IO_FILE FILE;
FILE *const stderr = 0;
int fclose(FILE *f) { (void)f; return 0; }
FILE *fdopen(int fd, const char *mode) { (void)fd; (void)mode; return 0; }
int fputs(const char *s, FILE *f) { (void)s; (void)f; return 0; }
int fputc(int c, FILE *f) { (void)c; (void)f; return 0; }
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) { (void)p; (void)size; (void)f; return n; }
int fprintf(FILE *f, const char *format, ...) { (void)f; (void)format; return 0; }
int snprintf(char *s, size_t n, const char *format, ...) { (void)format; if (n) *s = 0; return 0; }
int vsnprintf(char *s, size_t n, const char *format, __builtin_va_list args) { (void)format; (void)args; if (n) *s = 0; return 0; }
_Noreturn void abort(void) { __builtin_trap(); }
int clock_gettime(const void *clock, void *ts) { (void)clock; memset(ts, 0, 16); return 0; }
const char _CLOCK_MONOTONIC;

// ---- the part of the C library that it does call; memory is copied and set by one instruction

void *memcpy(void *restrict to, const void *restrict from, size_t n) { return __builtin_memcpy(to, from, n); }
void *memset(void *to, int c, size_t n) { return __builtin_memset(to, c, n); }

int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (; n && *x == *y; n--, x++, y++) {}
  return n ? *x - *y : 0;
}

int strncmp(const char *a, const char *b, size_t n) {
  for (; n && *a && *a == *b; n--, a++, b++) {}
  return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

// ---- parsing

enum { DONE, SPENT, STOPPED, DEEP };

// A node, as syntax/tree.go has it.
typedef struct { uint32_t start, end, next; uint16_t kind; uint8_t field, flags; } Node;
enum { ERROR = 1, MISSING = 2, INSIDE = 4, NAMED = 8 };

static struct { Node *items; uint32_t count, room; } out;
static uint32_t spent, budget;
static int32_t status;
static char *text;
static uint32_t length;

static const char *read_text(void *payload, uint32_t at, TSPoint point, uint32_t *n) {
  (void)payload; (void)point;
  *n = at < length ? length - at : 0;
  return text + (at < length ? at : length);
}

static bool progress(TSParseState *state) {
  (void)state;
  if (++spent > budget) status = SPENT;
  else if ((spent & 63) == 0 && stop()) status = STOPPED;
  return status != DONE;
}

static uint32_t push(Node n) {
  if (out.count == out.room) {
    out.room = out.room ? out.room * 2 : 1024;
    out.items = realloc(out.items, out.room * sizeof(Node));
  }
  out.items[out.count] = n;
  return out.count++;
}

typedef struct { uint32_t node; bool listed; } Level;

static struct { uint16_t async, comment, continuation; } skip_symbols;

static void list(TSNode root, uint32_t deepest) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  Level *levels = malloc(deepest * sizeof(Level));
  uint32_t depth = 0;
  for (;;) {
    TSNode n = ts_tree_cursor_current_node(&cursor);
    uint16_t kind = ts_node_symbol(n);
    uint8_t field = (uint8_t)ts_tree_cursor_current_field_id(&cursor);
    bool named = ts_node_is_named(n);
    levels[depth].listed = named ? kind != skip_symbols.comment && kind != skip_symbols.continuation
                                 : field != 0 || kind == skip_symbols.async;
    if (levels[depth].listed) {
      uint32_t start = ts_node_start_byte(n);
      uint8_t flags = (ts_node_is_error(n) ? ERROR : 0) | (ts_node_is_missing(n) ? MISSING : 0) |
                      (ts_node_has_error(n) ? INSIDE : 0) | (named ? NAMED : 0);
      levels[depth].node = push((Node){start, ts_node_end_byte(n), 0, kind, field, flags});
    }
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      if (++depth == deepest) { status = DEEP; return; }
      continue;
    }
    for (;;) {
      if (levels[depth].listed) out.items[levels[depth].node].next = out.count;
      if (ts_tree_cursor_goto_next_sibling(&cursor)) break;
      if (depth == 0 || !ts_tree_cursor_goto_parent(&cursor)) return;
      depth--;
    }
  }
}

// source makes room for a text. It begins a parse.
void *EXPORT(source)(uint32_t n) {
  arena_reset();
  out.items = 0;
  out.count = out.room = 0;
  length = n;
  text = malloc(n + 1);
  text[n] = 0;
  return text;
}

// parse parses what was put at source; each step of the budget is 100 operations of the
// parser.
int32_t EXPORT(parse)(uint32_t steps, uint32_t deepest) {
  const TSLanguage *language = tree_sitter_python();
  spent = 0;
  budget = steps;
  status = DONE;
  skip_symbols.async = ts_language_symbol_for_name(language, "async", 5, false);
  skip_symbols.comment = ts_language_symbol_for_name(language, "comment", 7, true);
  skip_symbols.continuation = ts_language_symbol_for_name(language, "line_continuation", 17, true);
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, language);
  TSTree *tree = ts_parser_parse_with_options(parser, 0,
    (TSInput){0, read_text, TSInputEncodingUTF8, 0}, (TSParseOptions){0, progress});
  if (tree) list(ts_tree_root_node(tree), deepest);
  else if (status == DONE) status = SPENT;
  return status;
}

void *EXPORT(nodes)(void) { return out.items; }
uint32_t EXPORT(count)(void) { return out.count; }
uint32_t EXPORT(steps)(void) { return spent; }
int32_t EXPORT(out_of_memory)(void) { return exhausted; }
