// SPDX-License-Identifier: Apache-2.0
// Shapes from files: the same tetrahedron in every format; what damaged files say; no cut or
// changed byte of a file does any harm.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "models.h"

#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"

#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL(mesh)                                                                                \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  bodies: {wing: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], shape: {mesh: {" mesh       \
    "}}}}\n"                                                                                       \
    "  joints: {place: {free: {between: [ground, wing]}}}\n"                                       \
    "simulate: {end: 1}\n"

static char folder[] = "/tmp/mesh-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static void write_bytes(const char *name, const void *bytes, size_t length)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void remove_file(const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const name[] = {"a.obj", "a.stl", "a.glb", "a.gltf", "a.bin"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        remove_file(name[k]);
    return rmdir(folder);
}

static void try_mesh(model_case *c, const char *mesh)
{
    char text[2000], path[100];
    snprintf(text, sizeof text, MODEL("%s"), mesh);
    snprintf(path, sizeof path, "%s/m.yaml", folder); // meshes are relative to it
    model_try(c, text, path, NULL);
}

// ---- a tetrahedron ----

static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
static const uint16_t face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static const char *const obj = "# a comment\n"
                               "mtllib no.mtl\n"
                               "v 0 0 0\nv 1 0 0 1.0\nv 0 2e0 0\nv +0 -0 4.\r\n"
                               "vn 0 0 1\n"
                               "f 1//1 3//1 2//1\n"
                               "f 1/1/1 2 \\\n 4\n"
                               "f -3 -2 -1\n"
                               "f 3 1 4";

static size_t write_text_stl(char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "solid tetrahedron\n");
    for (int t = 0; t < 4; t++) {
        n += (size_t)snprintf(out + n, size - n, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const float *p = corner[face[3 * t + k]];
            n += (size_t)snprintf(out + n, size - n, "      vertex %g %g %g\n", (double)p[0],
                                  (double)p[1], (double)p[2]);
        }
        n += (size_t)snprintf(out + n, size - n, "    endloop\n  endfacet\n");
    }
    return n + (size_t)snprintf(out + n, size - n, "endsolid tetrahedron\n");
}

// numbers of this machine are those of the files: lowest byte first
static size_t write_binary_stl(char *out)
{
    uint32_t count = 4;
    memset(out, 0, 84 + 4 * 50);
    memcpy(out, "solid by its name only", 22);
    memcpy(out + 80, &count, 4);
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 3; k++)
            memcpy(out + 84 + 50 * t + 12 + 12 * k, corner[face[3 * t + k]], 12);
    return 84 + 4 * 50;
}

// the description of the tetrahedron, whose node turns (x, y, z) into (x, y, z) of the others: the
// buffer has it turned by 90 degrees about z and half as large
#define GLTF(uri)                                                                                  \
    "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],\n"          \
    "\"nodes\": [{\"children\": [1], \"scale\": [2, 2, 2]}, {\"mesh\": 0,\n"                       \
    "\"rotation\": [0, 0, 0.7071067811865476, 0.7071067811865476]}],\n"                            \
    "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}],\n"     \
    "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": "        \
    "\"VEC3\"},\n"                                                                                 \
    "{\"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"}],\n"        \
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48},\n"                                     \
    "{\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 24}],\n"                                  \
    "\"buffers\": [{\"byteLength\": 72" uri "}]}"

static void write_buffer(char out[72])
{
    for (int k = 0; k < 4; k++) {
        const float p[3] = {corner[k][1] / 2, -corner[k][0] / 2, corner[k][2] / 2};
        memcpy(out + 12 * k, p, 12);
    }
    memcpy(out + 48, face, 24);
}

static size_t write_glb(char *out)
{
    static const char json[] = GLTF("");
    uint32_t length = (uint32_t)(sizeof json - 1 + 3) / 4 * 4;
    const uint32_t head[5] = {0x46546C67, 2, 12 + 8 + length + 8 + 72, length, 0x4E4F534A};
    const uint32_t next[2] = {72, 0x004E4942};
    memcpy(out, head, 20);
    memset(out + 20, ' ', length);
    memcpy(out + 20, json, sizeof json - 1);
    memcpy(out + 20 + length, next, 8);
    write_buffer(out + 28 + length);
    return head[2];
}

static size_t write_base64(char *out, const char *bytes, size_t length)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    for (size_t k = 0; k < length; k += 3) { // of 72 bytes nothing is left over
        const unsigned char *b = (const unsigned char *)bytes + k;
        unsigned bits = (unsigned)b[0] << 16 | (unsigned)b[1] << 8 | b[2];
        for (int i = 18; i >= 0; i -= 6)
            out[n++] = digit[bits >> i & 63];
    }
    out[n] = '\0';
    return n;
}

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

static const trmi_shape *shape_of(const model_case *c, int body)
{
    return trmi_model_machine(c->model)->mechanism->body[body].shape;
}

// four points and four triangles; each triangle has the corners of that face
static void assert_tetrahedron(const char *mesh)
{
    model_case c;
    try_mesh(&c, mesh);
    if (c.status != TRM_OK)
        fail_msg("%s", c.said);
    const trmi_shape *s = shape_of(&c, 1);
    assert_int_equal(s->kind, TRMI_SHAPE_MESH);
    assert_int_equal(s->mesh->points, 4);
    assert_int_equal(s->mesh->triangles, 4);
    for (int k = 0; k < 12; k++) {
        trmi_v3 p = s->mesh->point[s->mesh->corner[k]];
        const float *q = corner[face[k]];
        // floats turned by a quaternion of 16 digits
        assert_near(p.x, q[0], 1e-15);
        assert_near(p.y, q[1], 1e-15);
        assert_near(p.z, q[2], 1e-15);
    }
    assert_near(s->mesh->high.z, 4, 1e-15);
    model_close(&c);
}

static void test_mesh_is_the_same_in_every_format(void **state)
{
    (void)state;
    char bytes[8000], buffer[72], data[100], text[3000];
    write_bytes("a.obj", obj, strlen(obj));
    assert_tetrahedron("file: a.obj");
    write_bytes("a.stl", bytes, write_text_stl(bytes, sizeof bytes));
    assert_tetrahedron("file: a.stl");
    write_bytes("a.stl", bytes, write_binary_stl(bytes));
    assert_tetrahedron("file: a.stl");
    write_bytes("a.glb", bytes, write_glb(bytes));
    assert_tetrahedron("file: a.glb");
    write_buffer(buffer);
    write_bytes("a.bin", buffer, sizeof buffer);
    write_bytes("a.gltf", GLTF(", \"uri\": \"a.bin\""), strlen(GLTF(", \"uri\": \"a.bin\"")));
    assert_tetrahedron("file: a.gltf");
    write_base64(data, buffer, sizeof buffer);
    int n = snprintf(text, sizeof text,
                     GLTF(", \"uri\": \"data:application/octet-stream;base64,%s\""), data);
    write_bytes("a.gltf", text, (size_t)n);
    assert_tetrahedron("file: a.gltf");
}

// a strip and a fan of the same square
static void test_mesh_strips_and_fans(void **state)
{
    (void)state;
    static const char *const mode[] = {"5", "6"};
    for (int m = 0; m < 2; m++) {
        char text[3000];
        const float square[2][4][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
                                       {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
        int n = snprintf(text, sizeof text,
                         "{\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "
                         "\"mode\": %s}]}],\n\"accessors\": [{\"bufferView\": 0, "
                         "\"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"}],\n"
                         "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}], "
                         "\"buffers\": [{\"byteLength\": 48, \"uri\": \"a.bin\"}]}",
                         mode[m]);
        write_bytes("a.gltf", text, (size_t)n);
        write_bytes("a.bin", square[m], sizeof square[m]);
        model_case c;
        try_mesh(&c, "file: a.gltf");
        if (c.status != TRM_OK)
            fail_msg("%s", c.said);
        const trmi_mesh *mesh = shape_of(&c, 1)->mesh;
        assert_int_equal(mesh->triangles, 2);
        for (int t = 0; t < 2; t++) { // each is half of the square, seen from above
            const int *k = &mesh->corner[3 * t];
            trmi_v3 a = trmi_v3_sub(mesh->point[k[1]], mesh->point[k[0]]),
                    b = trmi_v3_sub(mesh->point[k[2]], mesh->point[k[0]]);
            assert_near(trmi_v3_cross(a, b).z, 1, 0);
        }
        model_close(&c);
    }
}

// where it is: scaled, turned, moved; a part that is turned and mirrored; files are read once
static void test_mesh_is_placed(void **state)
{
    (void)state;
    model_case c;
    char path[100];
    write_bytes("a.obj", obj, strlen(obj));
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    model_try(&c,
              "trammel: 1\n"
              "parts:\n"
              "  side:\n"
              "    bodies:\n"
              "      box: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], shape: {box: {from: [0, "
              "0, 0], to: [2, 1, 3]}}}\n"
              "      wing: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], shape: {mesh: {file: "
              "a.obj, scale: 0.5, at: [1, 0, 0], frame: {axis: z, angle: 90 deg}}}}\n"
              "    joints:\n"
              "      a: {free: {between: [ground, box]}}\n"
              "      b: {free: {between: [ground, wing]}}\n"
              "use:\n"
              "  first: {part: side}\n"
              "  second: {part: side, at: [0, 0, 7], mirror: y, frame: {axis: x, angle: 90 deg}}\n"
              "mechanism: {}\n"
              "simulate: {end: 1}\n",
              path, NULL);
    if (c.status != TRM_OK)
        fail_msg("%s", c.said);
    const trmi_shape *first = shape_of(&c, 2), *second = shape_of(&c, 4);
    assert_ptr_equal(first->mesh, second->mesh);
    // (1, 2, 4) of the file, halved, turned about z: (-1, 0.5, 2); moved: (0, 0.5, 2)
    trmi_v3 x = {1, 2, 4}, p = trmi_v3_add(first->point[0], trmi_m3_times(first->axes, x));
    assert_near(p.x, 0, 1e-15);
    assert_near(p.y, 0.5, 1e-15);
    assert_near(p.z, 2, 1e-15);
    // mirrored (0, -0.5, 2), turned about x: (0, -2, -0.5), lifted
    p = trmi_v3_add(second->point[0], trmi_m3_times(second->axes, x));
    assert_near(p.x, 0, 1e-15);
    assert_near(p.y, -2, 1e-15);
    assert_near(p.z, 6.5, 1e-15);
    // the edges of the box turn with the part: 2 along x, 1 along z, 3 along y
    const trmi_shape *box = shape_of(&c, 3);
    trmi_v3 edge = trmi_m3_tr_times(box->axes, trmi_v3_sub(box->point[1], box->point[0]));
    assert_near(fabs(edge.x), 2, 1e-15);
    assert_near(fabs(edge.y), 1, 1e-15);
    assert_near(fabs(edge.z), 3, 1e-15);
    model_close(&c);
}

// ---- damaged files ----

static void assert_says(const char *mesh, const char *message)
{
    model_case c;
    try_mesh(&c, mesh);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    if (!strstr(c.said, message))
        fail_msg("%s\ninstead of\n%s", c.said, message);
    model_close(&c);
}

static void assert_file_says(const char *name, const char *content, const char *message)
{
    char mesh[100];
    write_bytes(name, content, strlen(content));
    snprintf(mesh, sizeof mesh, "file: %s", name);
    assert_says(mesh, message);
}

static void test_mesh_says_what_is_wrong(void **state)
{
    (void)state;
    char bytes[8000], damaged[3000];
    assert_says("file: no.stl", "/m.yaml:3:88: error: cannot read '/tmp/mesh-test-");
    assert_says("file: no.stl", "/no.stl': No such file or directory\n");
    assert_says("file: wing.step", "wing.step': a mesh is a file .obj, .stl, .glb or .gltf\n");
    assert_says("scale: 2", "error: the key 'file' is missing");
    assert_file_says("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n",
                     "a.obj': triangle 1 has point 3 of 2\n");
    assert_file_says("a.obj", "v 0 0 zero\n", "a.obj': line 1: 'v' needs three numbers\n");
    assert_file_says("a.obj", "v 0 0 0\nf 1 1\n",
                     "a.obj': line 2: a face needs three corners, not 2\n");
    assert_file_says("a.obj", "v 0 0 0\n\nf 1 1 x\n",
                     "a.obj': line 3: 'x' is not a corner of a face\n");
    assert_file_says("a.obj", "", "a.obj': the file has no triangles\n");
    assert_file_says("a.stl", "wrong", "a.stl': no STL file: 5 bytes without the word 'solid'\n");
    assert_file_says("a.stl", "solid\nvertex 1 2\n",
                     "a.stl': line 2: 'vertex' needs three numbers\n");
    assert_file_says("a.stl", "solid\nvertex 1 2 3\nendfacet\n",
                     "a.stl': line 3: the facet has 1 of 3 points\n");
    assert_file_says("a.stl", "solid\nvertex 1 2 3\n", "a.stl': the file ends inside a facet\n");
    assert_file_says("a.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n",
                     "a.stl': the file has no 'endsolid' at its end: it is cut off\n");
    write_binary_stl(bytes);
    bytes[0] = 'S';
    write_bytes("a.stl", bytes, 200);
    assert_says("file: a.stl",
                "a.stl': damaged STL file: 4 triangles take 284 bytes, it has 200\n");
    write_glb(bytes);
    write_bytes("a.glb", bytes, 500);
    assert_says("file: a.glb", "a.glb': damaged: it has 500 bytes of ");
    assert_file_says("a.gltf", "[]", "a.gltf': no glTF file\n");
    assert_file_says("a.gltf", "{\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]}",
                     "a.gltf': it needs KHR_draco_mesh_compression, which is not read; export the "
                     "file without compression\n");
    assert_file_says("a.gltf", GLTF(", \"uri\": \"none.bin\""), "cannot read its buffer '");
    write_bytes("a.bin", bytes, 60);
    assert_file_says("a.gltf", GLTF(", \"uri\": \"a.bin\""),
                     "a.gltf': damaged: accessor 1 needs 72 bytes of a buffer of 60\n");
    snprintf(damaged, sizeof damaged, "%s", GLTF(", \"uri\": \"a.bin\""));
    memcpy(strstr(damaged, "\"children\": [1]"), "\"children\": [0]", 15);
    assert_file_says("a.gltf", damaged, "a.gltf': damaged: its nodes are not a tree\n");
}

// larger than 64 MiB; the file has no bytes on the disk
static void test_mesh_too_large_is_refused(void **state)
{
    (void)state;
    char path[100];
    write_bytes("a.stl", "solid", 5);
    snprintf(path, sizeof path, "%s/a.stl", folder);
    assert_int_equal(truncate(path, (64 << 20) + 1), 0);
    assert_says("file: a.stl",
                "a.stl': cannot read: larger than 64 MiB; export it with fewer triangles\n");
}

// a mesh touches nothing
static void test_mesh_has_no_contact(void **state)
{
    (void)state;
    model_case c;
    char path[100];
    static const char *const set[] = {
        "mechanism.forces={floor: {contact: {between: [ground, wing], "
        "at: [0, 0, 0], normal: z, stiffness: 1e5}}}",
        NULL};
    write_bytes("a.obj", obj, strlen(obj));
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    model_try(&c, MODEL("file: a.obj"), path, set);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_non_null(strstr(c.said, "'wing' a mesh, between which there is no contact"));
    model_close(&c);
}

// every cut and every changed byte: an error, or another mesh
static void assert_harmless(const char *name, const char *bytes, size_t length)
{
    char damaged[8000], mesh[100];
    snprintf(mesh, sizeof mesh, "file: %s", name);
    for (size_t k = 0; k < 2 * length; k++) {
        model_case c;
        memcpy(damaged, bytes, length);
        if (k >= length)
            damaged[k - length] = (char)(damaged[k - length] ^ (k % 3 == 0 ? 0xff : 0x11));
        write_bytes(name, damaged, k < length ? k : length);
        try_mesh(&c, mesh);
        if (c.status == TRM_OK) {
            const trmi_mesh *m = shape_of(&c, 1)->mesh;
            for (int i = 0; i < 3 * m->triangles; i++)
                assert_in_range(m->corner[i], 0, m->points - 1);
        } else {
            assert_non_null(strstr(c.said, "error: "));
        }
        model_close(&c);
    }
}

static void test_mesh_damage_is_harmless(void **state)
{
    (void)state;
    char bytes[8000];
    assert_harmless("a.obj", obj, strlen(obj));
    assert_harmless("a.stl", bytes, write_binary_stl(bytes));
    assert_harmless("a.stl", bytes, write_text_stl(bytes, sizeof bytes));
    assert_harmless("a.glb", bytes, write_glb(bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_is_the_same_in_every_format),
        cmocka_unit_test(test_mesh_strips_and_fans),
        cmocka_unit_test(test_mesh_is_placed),
        cmocka_unit_test(test_mesh_says_what_is_wrong),
        cmocka_unit_test(test_mesh_too_large_is_refused),
        cmocka_unit_test(test_mesh_has_no_contact),
        cmocka_unit_test(test_mesh_damage_is_harmless),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
