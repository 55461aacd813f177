// SPDX-License-Identifier: MIT
#include "test.h"
#include "xml.h"

typedef struct document {
    talus_context* ctx;
    tl_arena arena;
    tl_pool pool;
    tl_xml_node* root;
} document;

static talus_status parse(document* d, const char* text, size_t n)
{
    d->ctx = test_context(1);
    tl_arena_init(&d->arena, d->ctx);
    d->pool = (tl_pool){.arena = &d->arena};
    d->root = NULL;
    return tl_xml_parse(d->ctx, &d->pool, "doc.xml", text, n, 3, true, &d->root);
}

static void done(document* d)
{
    tl_arena_fini(&d->arena);
    talus_context_destroy(d->ctx);
}

static void node__has_the_line_where_its_tag_begins(void** state)
{
    (void)state;
    static const char text[] = "<a>\n<!-- one\n two --><b\n x='1'/>\n\n<c\n\n y='2'>text\n</c><d/></a>";
    document d;
    assert_int_equal(parse(&d, text, sizeof text - 1), TALUS_OK);
    const tl_xml_node *b = d.root->child, *c = b->next;
    assert_string_equal(b->name, "b");
    assert_int_equal(b->line, 3);
    assert_int_equal(c->line, 6);
    assert_int_equal(c->next->line, 9);
    assert_int_equal(c->doc, 3);
    assert_null(c->next->next);
    done(&d);
}

static void attributes__are_decoded(void** state)
{
    (void)state;
    static const char text[] = "<a one='1 &lt; 2 &amp; &#65;' two=\"&quot;\"/>";
    document d;
    assert_int_equal(parse(&d, text, sizeof text - 1), TALUS_OK);
    assert_string_equal(tl_xml_get(d.root, "one"), "1 < 2 & A");
    assert_string_equal(tl_xml_get(d.root, "two"), "\"");
    assert_null(tl_xml_get(d.root, "three"));
    done(&d);
}

static void nesting__is_bounded_by_memory_only(void** state)
{
    (void)state;
    const int32_t n = 100000;
    char* text = malloc(7 * (size_t)n + 1);
    assert_non_null(text);
    for (int32_t i = 0; i < n; i++)
        memcpy(text + 3 * i, "<a>", 3);
    for (int32_t i = 0; i < n; i++)
        memcpy(text + 3 * n + 4 * i, "</a>", 4);
    document d;
    assert_int_equal(parse(&d, text, 7 * (size_t)n), TALUS_OK);
    int32_t depth = 0;
    for (const tl_xml_node* x = d.root; x; x = x->child)
        depth++;
    assert_int_equal(depth, n);
    done(&d);
    free(text);
}

static void bad_documents__are_refused(void** state)
{
    (void)state;
    static const char* const texts[] = {"",
                                        "hello",
                                        "<a>",
                                        "<a></b>",
                                        "<a x=1/>",
                                        "<a/><b/>",
                                        "<a>&nothing;</a>",
                                        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
                                        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
                                        "<a x='1' x='2'/>"};
    for (int i = 0; i < TL_COUNT(texts); i++) {
        document d;
        assert_int_equal(parse(&d, texts[i], strlen(texts[i])), TALUS_ERR_INPUT);
        done(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node__has_the_line_where_its_tag_begins),
        cmocka_unit_test(attributes__are_decoded),
        cmocka_unit_test(nesting__is_bounded_by_memory_only),
        cmocka_unit_test(bad_documents__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
