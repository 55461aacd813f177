// SPDX-License-Identifier: MIT
// Private to the MJCF reader: documents, default classes, name scopes, attribute tables.
#pragma once

#include "scene.h"
#include "schema.h"
#include "xml.h"

// ---- attributes (mjcf_attr.c)
// --------------------------------------------------------------------------------------
typedef enum field_kind { FIELD_NUM, FIELD_INT, FIELD_ENUM, FIELD_TEXT } field_kind;

/// One attribute of an element: `min` to `max` numbers, or the index of a word in `choices` ("false|true"),
/// into the member at `offset`.
typedef struct tl_field {
    const char* name;
    int32_t kind, min, max;
    size_t offset;
    const char* choices;
} tl_field;

#define FIELD_NUMBERS(T, attr, member, lo, hi)                                                               \
    {                                                                                                        \
        attr, FIELD_NUM, lo, hi, offsetof(T, member), NULL                                                   \
    }
#define FIELD_NUMBER(T, attr, member) FIELD_NUMBERS(T, attr, member, 1, 1)
#define FIELD_INTEGER(T, attr, member)                                                                       \
    {                                                                                                        \
        attr, FIELD_INT, 1, 1, offsetof(T, member), NULL                                                     \
    }
#define FIELD_CHOICE(T, attr, member, words)                                                                 \
    {                                                                                                        \
        attr, FIELD_ENUM, 1, 1, offsetof(T, member), words                                                   \
    }
#define FIELD_STRING(T, attr, member)                                                                        \
    {                                                                                                        \
        attr, FIELD_TEXT, 1, 1, offsetof(T, member), NULL                                                    \
    }
#define FIELD_BOOL(T, attr, member) FIELD_CHOICE(T, attr, member, "false|true")
#define FIELD_AUTO(T, attr, member) FIELD_CHOICE(T, attr, member, "false|true|auto")

/// An orientation that is not a quaternion; resolved with the angle unit and the euler sequence of its file.
typedef enum tl_alt_kind { ALT_NONE, ALT_AXISANGLE, ALT_XYAXES, ALT_ZAXIS, ALT_EULER } tl_alt_kind;
typedef struct tl_alt {
    int32_t kind;
    double v[6];
} tl_alt;

// ---- raw elements: attributes over defaults, before they are resolved
// ------------------------------------------------
typedef struct tl_raw_geom {
    tl_spec_geom g;
    double fromto[6];
    int32_t has_fromto;
    tl_alt alt;
    const char *mesh, *hfield;
    double surfacevel[6], adhesion; // only noticed
} tl_raw_geom;

typedef struct tl_raw_joint {
    tl_spec_joint j;
    double poly_stiffness[3], poly_damping[3];
    double actuatorfrcrange[2]; // only noticed
    const char* springyield;    // only noticed
} tl_raw_joint;

typedef struct tl_raw_pair {
    const char *geom1, *geom2;
    int32_t condim; // 0: the geoms'
    double friction[5], margin, gap;
} tl_raw_pair;

typedef struct tl_raw_actuator {
    tl_spec_actuator a;
    double gainprm[10], biasprm[10], dynprm[10], damping[3];
    int32_t gain, bias, dyn; // index in the file's word lists
    const char* target;
} tl_raw_actuator;

typedef struct tl_class {
    const char* name;
    int32_t parent; // -1
    tl_raw_geom geom;
    tl_raw_joint joint;
    tl_raw_pair pair;
    tl_raw_actuator actuator;
    tl_spec_mesh mesh;
} tl_class;

/// A file read as a model of its own: the main file, or an <asset><model>.
typedef struct tl_mjcf_model {
    const char* name;
    int32_t owner;   // the model whose asset it is
    const char* dir; // of the main file of the model, with the final '/'
    tl_xml_node* root;
    tl_spec_compiler* compiler;
    int32_t class0; // its class "main"
} tl_mjcf_model;

/// Names inside <replicate> and <attach>: prefix + name + suffix, from the inside out.
typedef struct tl_scope {
    int32_t parent; // -1
    int32_t model;
    const char *prefix, *suffix;
    int32_t root; // the scope of the attached model (or main file) it lies in
    bool attach;  // it is one: the model's sections are read in it
    bool whole;   // ... and the whole model was attached: references must resolve
} tl_scope;

typedef enum tl_name_kind {
    NAME_BODY,
    NAME_JOINT,
    NAME_GEOM,
    NAME_SITE,
    NAME_MESH,
    NAME_HFIELD,
    NAME_ACTUATOR,
    NAME_KEY,
    NAME_CLASS
} tl_name_kind;

typedef struct tl_name {
    const char* text;
    int32_t kind, index;
    int32_t owner; // NAME_MESH, NAME_HFIELD, NAME_CLASS: the model that owns it, else 0
    tl_src at;
} tl_name;

typedef struct tl_doc {
    const char* path;
    int32_t parent; // the document that includes it, -1
} tl_doc;

#define TL_READER_LIST(X)                                                                                    \
    X(tl_class, class)                                                                                       \
    X(tl_mjcf_model, model)                                                                                  \
    X(tl_scope, scope)                                                                                       \
    X(tl_name, name)                                                                                         \
    X(tl_doc, doc)

typedef struct tl_reader {
    tl_spec* spec;
    talus_context* ctx;
    tl_pool pool;
    void* locale; // locale_t: numbers are read with '.', whatever the program's locale
#define TL_READER_ARRAY(T, member)                                                                           \
    T* member;                                                                                               \
    int64_t n##member, cap_##member;
    TL_READER_LIST(TL_READER_ARRAY)
#undef TL_READER_ARRAY
    const char** doc_path; // (ndoc) for the schema check
    int64_t cap_doc_path;
    int32_t* name_slot; // hash table over `name`
    int64_t nslot;
    const char** told; // kinds of things already in a notice
    int64_t ntold, cap_told;
} tl_reader;

/// Append a zeroed element. @return NULL: out of memory (a message was sent)
#define TL_PUSH(r, owner, member)                                                                            \
    (TL_GROW((r)->ctx, (owner)->member, (owner)->cap_##member, (owner)->n##member, (owner)->n##member + 1) < \
             0                                                                                               \
         ? NULL                                                                                              \
         : memset(&(owner)->member[(owner)->n##member++], 0, sizeof(*(owner)->member)))

#define TL_MAX_ELEMENTS 1000000 // bodies, joints, geoms: beyond it a replicate is taken for a mistake

tl_src tl_at(const tl_reader* r, const tl_xml_node* n);
/// "file:line: <element NAME>: text", ERR_INPUT
talus_status tl_bad(const tl_reader* r, const tl_xml_node* n, const char* fmt, ...) TL_PRINTF(3, 4);

/// Read the listed attributes that are present.
talus_status tl_read_fields(tl_reader* r, const tl_xml_node* n, const tl_field* fields, int32_t count,
                            void* object);
/// Between min and max numbers; got = how many, 0: absent.
talus_status tl_read_numbers(tl_reader* r, const tl_xml_node* n, const char* attr, int32_t min, int32_t max,
                             double* v, int32_t* got);
/// Any number of them, in the pool.
talus_status tl_read_list(tl_reader* r, const tl_xml_node* n, const char* attr, double** v, int64_t* got);
/// A quaternion: normalized, zero refused.
talus_status tl_read_quat(tl_reader* r, const tl_xml_node* n, double* quat);
talus_status tl_read_alt(tl_reader* r, const tl_xml_node* n, tl_alt* alt);
talus_status tl_resolve_alt(tl_reader* r, const tl_xml_node* n, const tl_spec_compiler* c, const tl_alt* alt,
                            double* quat);
/// pos, quat and the alternatives of an element, resolved.
talus_status tl_read_pose(tl_reader* r, const tl_xml_node* n, const tl_spec_compiler* c, double* pos,
                          double* quat);
/// Index of `word` in "a|b|c", -1.
int32_t tl_choice(const char* choices, const char* word);

// ---- names (mjcf_names.c)
// --------------------------------------------------------------------------------------------
const char* tl_full_name(tl_reader* r, int32_t scope, const char* name);
/// Register; a name taken is an error. NULL or "" is no name.
talus_status tl_add_name(tl_reader* r, const tl_xml_node* n, tl_name_kind kind, int32_t owner,
                         const char* name, int32_t index);
int32_t tl_find_name(const tl_reader* r, tl_name_kind kind, int32_t owner, const char* name);

// ---- the parts of a model
// --------------------------------------------------------------------------------------------
/// mjcf_include.c: read a file and everything it includes
talus_status tl_read_document(tl_reader* r, const char* path, tl_xml_node** root, bool keep_text);
/// mjcf_class.c
talus_status tl_read_defaults(tl_reader* r, int32_t model);
/// The class called `name` of a model; NULL name: `inherited`.
talus_status tl_find_class(tl_reader* r, const tl_xml_node* n, int32_t model, const char* name,
                           int32_t inherited, int32_t* out);
talus_status tl_read_raw_geom(tl_reader* r, const tl_xml_node* n, tl_raw_geom* g);
talus_status tl_read_raw_joint(tl_reader* r, const tl_xml_node* n, tl_raw_joint* j);
/// What the contact of a geom or pair has beyond ours; gap >= margin: the margin only looks, it does not push.
talus_status tl_contact_notices(tl_reader* r, const tl_xml_node* n, int32_t condim, double margin,
                                double gap);
talus_status tl_read_raw_pair(tl_reader* r, const tl_xml_node* n, tl_raw_pair* p);
talus_status tl_read_raw_actuator(tl_reader* r, const tl_xml_node* n, tl_raw_actuator* a);
talus_status tl_read_raw_mesh(tl_reader* r, const tl_xml_node* n, tl_spec_mesh* m);
bool tl_is_actuator(const char* element);
/// mjcf_asset.c: meshes, height fields, models to attach
talus_status tl_read_assets(tl_reader* r, int32_t model);
/// mjcf.c: sections before the bodies, of one file
/// `from`: the <asset><model> of model `owner`; NULL, -1 for the main file.
talus_status tl_read_model(tl_reader* r, const char* path, const char* name, const tl_xml_node* from,
                           int32_t owner, int32_t* out);
/// mjcf_body.c
talus_status tl_read_bodies(tl_reader* r);
/// mjcf_element.c: one joint or geom into the spec; fpos, fquat: the frame around it
talus_status tl_read_joint(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t cls, int32_t body,
                           const double* fpos, const double* fquat);
talus_status tl_read_geom(tl_reader* r, const tl_xml_node* n, int32_t scope, int32_t cls, int32_t body,
                          const double* fpos, const double* fquat);
talus_status tl_read_inertial(tl_reader* r, const tl_xml_node* n, int32_t model, int32_t body);
/// mjcf_section.c: contact, actuator, keyframe, custom, and notices for the rest
talus_status tl_read_sections(tl_reader* r);
/// A notice once per `what`; with strict and `dynamics` an error.
talus_status tl_unsupported(tl_reader* r, const tl_xml_node* n, bool dynamics, const char* what);
