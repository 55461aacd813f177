// SPDX-License-Identifier: MIT
// The elements and attributes of MJCF as MuJoCo 4 knows them, so that a misspelt name is an error with its
// line and not a silent default. The table is a tree in preorder: depth, cardinality ('?' at most one, '*'
// any number), name, attributes. body, frame and replicate have the children of worldbody; default nests
// itself.
#include "schema.h"

#include <stdio.h>

typedef struct row {
    int8_t depth;
    char card;
    const char* name;
    const char* attrs;
} row;

// clang-format off
static const row rows[] = {
    {0, '!', "mujoco", "model"},
    {1, '*', "compiler",
     "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict coordinate "
     "discardvisual eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir "
     "passthrough savecanonical savecompiled saveinertial settotalmass strippath texturedir "
     "usethread"},
    {2, '?', "lengthrange",
     "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit"},
    {1, '*', "option",
     "actuatorgroupdisable ccd_iterations ccd_tolerance cone density gravity impratio integrator "
     "iterations jacobian ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance "
     "o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver "
     "timestep tolerance viscosity wind"},
    {2, '?', "flag",
     "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp "
     "filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd "
     "nativeccd override refsafe sensor sleep speculative spring warmstart"},
    {1, '*', "size",
     "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt "
     "nuser_sensor nuser_site nuser_tendon nuserdata"},
    {1, '*', "statistic", "center extent meaninertia meanmass meansize"},
    {1, '*', "visual", ""},
    {2, '?', "global",
     "azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight "
     "offwidth orthographic realtime"},
    {2, '?', "quality", "numquads numslices numstacks offsamples shadowsize"},
    {2, '?', "headlight", "active ambient diffuse specular"},
    {2, '?', "map",
     "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot "
     "torque zfar znear"},
    {2, '?', "scale",
     "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth "
     "forcewidth framelength framewidth frustum jointlength jointwidth light selectpoint slidercrank"},
    {2, '?', "rgba",
     "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint "
     "contactforce contactfriction contactgap contactpoint contacttorque crankbroken fog force "
     "frustum haze inertia joint light rangefinder selectpoint slidercrank"},
    {1, 'R', "default", "class"},
    {2, '?', "mesh", "inertia maxhullvert scale"},
    {2, '?', "texture",
     "builtin colorspace embed gridlayout gridsize height hflip mark markrgb nchannel random rgb1 "
     "rgb2 type vflip width"},
    {2, '?', "material",
     "emission metallic reflectance rgba roughness shininess specular texrepeat texture texuniform"},
    {3, '*', "layer", "role texture"},
    {2, '?', "joint",
     "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis damping frictionloss group "
     "limited margin pos range ref solimpfriction solimplimit solreffriction solreflimit "
     "springdamper springref springyield stiffness type user"},
    {2, '?', "geom",
     "adhesion axisangle castshadow conaffinity condim contype density euler fitscale fluidcoef "
     "fluidshape friction fromto gap group hfield margin mass material mesh pos priority quat rgba "
     "shellinertia size solimp solmix solref surfacevel type user xyaxes zaxis"},
    {2, '?', "site",
     "axisangle euler fromto group material mesh pos quat rgba size type user xyaxes zaxis"},
    {2, '?', "camera",
     "axisangle euler focal focalpixel fovy ipd mode output pos principal principalpixel projection "
     "quat resolution sensorsize user xyaxes zaxis"},
    {2, '?', "light",
     "active ambient attenuation bulbradius castshadow cutoff diffuse dir directional exponent "
     "intensity mode pos range softness specular type"},
    {2, '?', "pair", "adhesion condim friction gap margin solimp solref solreffriction"},
    {2, '?', "equality", "active solimp solref"},
    {2, '?', "tendon",
     "actuatorfrclimited actuatorfrcrange armature damping frictionloss group limited margin "
     "material range rgba solimpfriction solimplimit solreffriction solreflimit springlength "
     "springyield stiffness user width"},
    {2, '?', "general",
     "actdim actearly actlimited actrange armature biasprm biastype cranklength ctrllimited "
     "ctrlrange damping delay dynprm dyntype ffrange forcelimited forcerange gainprm gaintype gear "
     "group inheritrange input interp nsample user velrange"},
    {2, '?', "motor",
     "armature cranklength ctrllimited ctrlrange damping delay forcelimited forcerange gear group "
     "interp nsample user"},
    {2, '?', "position",
     "armature cranklength ctrllimited ctrlrange damping dampratio delay forcelimited forcerange "
     "gear group inheritrange interp kp kv nsample timeconst user"},
    {2, '?', "velocity",
     "armature cranklength ctrllimited ctrlrange damping delay forcelimited forcerange gear group "
     "interp kv nsample user"},
    {2, '?', "intvelocity",
     "actlimited actrange armature cranklength ctrllimited ctrlrange damping dampratio delay "
     "forcelimited forcerange gear group inheritrange interp kp kv nsample user"},
    {2, '?', "orientation",
     "ctrlrange dampratio delay forcelimited forcerange group input interp kp kv nsample user"},
    {2, '?', "pid",
     "armature cranklength ctrllimited ctrlrange damping dampratio delay ffrange forcelimited "
     "forcerange gear group imax inheritrange input interp ki kp kv nsample posrange slewmax user "
     "velrange"},
    {2, '?', "damper",
     "armature cranklength ctrlrange damping delay forcelimited forcerange gear group interp kv "
     "nsample user"},
    {2, '?', "cylinder",
     "area armature bias cranklength ctrllimited ctrlrange damping delay diameter forcelimited "
     "forcerange gear group interp nsample timeconst user"},
    {2, '?', "muscle",
     "armature cranklength ctrllimited ctrlrange damping delay force forcelimited forcerange fpmax "
     "fvmax gear group interp lmax lmin nsample range scale timeconst user vmax"},
    {2, '?', "adhesion", "ctrlrange delay forcelimited forcerange gain group interp nsample user"},
    {2, '?', "dcmotor",
     "armature cogging controller cranklength ctrllimited ctrlrange damping delay gear group "
     "inductance input interp lugre motorconst nominal nsample resistance saturation thermal user"},
    {1, '*', "extension", ""},
    {2, '*', "plugin", "plugin"},
    {3, '*', "instance", "name"},
    {4, '*', "config", "key value"},
    {1, '*', "asset", ""},
    {2, '*', "mesh",
     "builtin class content_type face file inertia material maxhullvert name normal params refpos "
     "refquat scale smoothnormal texcoord vertex"},
    {3, '*', "plugin", "instance plugin"},
    {4, '*', "config", "key value"},
    {2, '*', "hfield", "content_type elevation file name ncol nrow size"},
    {2, '*', "skin", "face file group inflate material name rgba texcoord vertex"},
    {3, '*', "bone", "bindpos bindquat body vertid vertweight"},
    {2, '*', "texture",
     "builtin class colorspace content_type embed file fileback filedown filefront fileleft "
     "fileright fileup gridlayout gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 "
     "type vflip width"},
    {2, '*', "material",
     "class emission metallic name reflectance rgba roughness shininess specular texrepeat texture "
     "texuniform"},
    {3, '*', "layer", "role texture"},
    {2, '*', "model", "content_type file name"},
    {1, '*', "worldbody", ""},
    {2, '*', "body",
     "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis"},
    {2, '*', "frame", "axisangle childclass euler name pos quat xyaxes zaxis"},
    {2, '*', "replicate", "childclass count euler offset prefix sep"},
    {2, '?', "inertial", "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis"},
    {2, '*', "joint",
     "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss "
     "group limited margin name pos range ref solimpfriction solimplimit solreffriction solreflimit "
     "springdamper springref springyield stiffness type user"},
    {2, '*', "freejoint", "align group name"},
    {2, '*', "geom",
     "adhesion axisangle castshadow class conaffinity condim contype density euler fitscale "
     "fluidcoef fluidshape friction fromto gap group hfield margin mass material mesh name pos "
     "priority quat rgba shellinertia size solimp solmix solref surfacevel type user xyaxes zaxis"},
    {3, '*', "plugin", "instance plugin"},
    {4, '*', "config", "key value"},
    {2, '*', "attach", "body frame model prefix"},
    {2, '*', "site",
     "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes "
     "zaxis"},
    {2, '*', "camera",
     "axisangle class euler focal focalpixel fovy ipd mode name output pos principal principalpixel "
     "projection quat resolution sensorsize target user xyaxes zaxis"},
    {2, '*', "light",
     "active ambient attenuation bulbradius castshadow class cutoff diffuse dir directional exponent "
     "intensity mode name pos range softness specular target texture type"},
    {2, '*', "plugin", "instance plugin"},
    {3, '*', "config", "key value"},
    {2, '*', "flexcomp",
     "axisangle cellcount count dim dof element euler file flatskin group inertiabox mass material "
     "mesh name origin point pos quat radius rgba rigid scale spacing texcoord type xyaxes zaxis"},
    {3, '?', "edge", "damping equality solimp solref stiffness"},
    {3, '?', "elasticity", "damping elastic2d poisson section sectionsize shear thickness yield young"},
    {3, '?', "contact",
     "activelayers conaffinity condim contype friction gap margin passive priority selfcollide "
     "solimp solmix solref"},
    {3, '*', "pin", "grid gridrange id range"},
    {3, '*', "plugin", "instance plugin"},
    {4, '*', "config", "key value"},
    {1, '*', "deformable", ""},
    {2, '*', "flex",
     "body cellcount dim dof element elemtexcoord flatskin group material name node nodecoord radius "
     "rgba texcoord vertex"},
    {3, '?', "contact",
     "activelayers conaffinity condim contype friction gap margin passive priority selfcollide "
     "solimp solmix solref"},
    {3, '?', "edge", "damping stiffness"},
    {3, '?', "elasticity", "damping elastic2d poisson section sectionsize shear thickness yield young"},
    {2, '*', "skin", "face file group inflate material name rgba texcoord vertex"},
    {3, '*', "bone", "bindpos bindquat body vertid vertweight"},
    {1, '*', "contact", ""},
    {2, '*', "pair",
     "adhesion class condim friction gap geom1 geom2 margin name solimp solref solreffriction"},
    {2, '*', "exclude", "body1 body2 name"},
    {1, '*', "tendon", ""},
    {2, '*', "spatial",
     "actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin "
     "material name range rgba solimpfriction solimplimit solreffriction solreflimit springlength "
     "springyield stiffness user width"},
    {3, '*', "site", "site"},
    {3, '*', "geom", "geom sidesite"},
    {3, '*', "pulley", "divisor"},
    {2, '*', "fixed",
     "actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin "
     "name range solimpfriction solimplimit solreffriction solreflimit springlength springyield "
     "stiffness user"},
    {3, '*', "joint", "coef joint"},
    {1, '*', "equality", ""},
    {2, '*', "connect", "active anchor body1 body2 class name site1 site2 solimp solref"},
    {2, '*', "weld", "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale"},
    {2, '*', "joint", "active class joint1 joint2 name polycoef solimp solref"},
    {2, '*', "tendon", "active class name polycoef solimp solref tendon1 tendon2"},
    {2, '*', "flex", "active class flex name solimp solref"},
    {2, '*', "flexstrain", "active cell class flex name solimp solref"},
    {1, '*', "actuator", ""},
    {2, '*', "general",
     "actdim actearly actlimited actrange armature biasprm biastype body class cranklength cranksite "
     "ctrllimited ctrlrange damping delay dynprm dyntype ffrange forcelimited forcerange gainprm "
     "gaintype gear group inheritrange input interp joint jointinparent lengthrange name nsample "
     "refsite site slidersite tendon user velrange"},
    {2, '*', "motor",
     "armature class cranklength cranksite ctrllimited ctrlrange damping delay forcelimited "
     "forcerange gear group interp joint jointinparent lengthrange name nsample refsite site "
     "slidersite tendon user"},
    {2, '*', "position",
     "armature class cranklength cranksite ctrllimited ctrlrange damping dampratio delay "
     "forcelimited forcerange gear group inheritrange interp joint jointinparent kp kv lengthrange "
     "name nsample refsite site slidersite tendon timeconst user"},
    {2, '*', "velocity",
     "armature class cranklength cranksite ctrllimited ctrlrange damping delay forcelimited "
     "forcerange gear group interp joint jointinparent kv lengthrange name nsample refsite site "
     "slidersite tendon user"},
    {2, '*', "intvelocity",
     "actlimited actrange armature class cranklength cranksite ctrllimited ctrlrange damping "
     "dampratio delay forcelimited forcerange gear group inheritrange interp joint jointinparent kp "
     "kv lengthrange name nsample refsite site slidersite tendon user"},
    {2, '*', "orientation",
     "class ctrlrange dampratio delay forcelimited forcerange group input interp joint kp kv name "
     "nsample refsite site user"},
    {2, '*', "pid",
     "armature class cranklength cranksite ctrllimited ctrlrange damping dampratio delay ffrange "
     "forcelimited forcerange gear group imax inheritrange input interp joint jointinparent ki kp kv "
     "lengthrange name nsample posrange refsite site slewmax slidersite tendon user velrange"},
    {2, '*', "damper",
     "armature class cranklength cranksite ctrlrange damping delay forcelimited forcerange gear "
     "group interp joint jointinparent kv lengthrange name nsample refsite site slidersite tendon "
     "user"},
    {2, '*', "cylinder",
     "area armature bias class cranklength cranksite ctrllimited ctrlrange damping delay diameter "
     "forcelimited forcerange gear group interp joint jointinparent lengthrange name nsample refsite "
     "site slidersite tendon timeconst user"},
    {2, '*', "muscle",
     "armature class cranklength cranksite ctrllimited ctrlrange damping delay force forcelimited "
     "forcerange fpmax fvmax gear group interp joint jointinparent lengthrange lmax lmin name "
     "nsample range scale slidersite tausmooth tendon timeconst user vmax"},
    {2, '*', "adhesion",
     "body class ctrlrange delay forcelimited forcerange gain group interp name nsample user"},
    {2, '*', "dcmotor",
     "armature class cogging controller cranklength cranksite ctrllimited ctrlrange damping delay "
     "gear group inductance input interp joint jointinparent lengthrange lugre motorconst name "
     "nominal nsample refsite resistance saturation site slidersite tendon thermal user"},
    {2, '*', "plugin",
     "actdim actearly actlimited actrange armature class cranklength cranksite ctrllimited ctrlrange "
     "damping delay dynprm dyntype forcelimited forcerange gear group instance interp joint "
     "jointinparent lengthrange name nsample plugin site slidersite tendon user"},
    {3, '*', "config", "key value"},
    {1, '*', "sensor", ""},
    {2, '*', "touch", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "accelerometer", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "velocimeter", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "gyro", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "force", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "torque", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "magnetometer", "cutoff delay interp interval name noise nsample site user"},
    {2, '*', "camprojection", "camera cutoff delay interp interval name noise nsample site user"},
    {2, '*', "rangefinder", "camera cutoff data delay interp interval name noise nsample site user"},
    {2, '*', "jointpos", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "jointvel", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "tendonpos", "cutoff delay interp interval name noise nsample tendon user"},
    {2, '*', "tendonvel", "cutoff delay interp interval name noise nsample tendon user"},
    {2, '*', "actuatorpos", "actuator cutoff delay interp interval name noise nsample user"},
    {2, '*', "actuatorvel", "actuator cutoff delay interp interval name noise nsample user"},
    {2, '*', "actuatorfrc", "actuator cutoff delay interp interval name noise nsample user"},
    {2, '*', "jointactuatorfrc", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "tendonactuatorfrc", "cutoff delay interp interval name noise nsample tendon user"},
    {2, '*', "ballquat", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "ballangvel", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "jointlimitpos", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "jointlimitvel", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "jointlimitfrc", "cutoff delay interp interval joint name noise nsample user"},
    {2, '*', "tendonlimitpos", "cutoff delay interp interval name noise nsample tendon user"},
    {2, '*', "tendonlimitvel", "cutoff delay interp interval name noise nsample tendon user"},
    {2, '*', "tendonlimitfrc", "cutoff delay interp interval name noise nsample tendon user"},
    {2, '*', "framepos",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "framequat",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "framexaxis",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "frameyaxis",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "framezaxis",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "framelinvel",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "frameangvel",
     "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
    {2, '*', "framelinacc", "cutoff delay interp interval name noise nsample objname objtype user"},
    {2, '*', "frameangacc", "cutoff delay interp interval name noise nsample objname objtype user"},
    {2, '*', "subtreecom", "body cutoff delay interp interval name noise nsample user"},
    {2, '*', "subtreelinvel", "body cutoff delay interp interval name noise nsample user"},
    {2, '*', "subtreeangmom", "body cutoff delay interp interval name noise nsample user"},
    {2, '*', "insidesite",
     "cutoff delay enclosed interp interval name noise nsample objname objtype site user"},
    {2, '*', "distance", "body1 body2 cutoff delay geom1 geom2 interp interval name noise nsample user"},
    {2, '*', "normal", "body1 body2 cutoff delay geom1 geom2 interp interval name noise nsample user"},
    {2, '*', "fromto", "body1 body2 cutoff delay geom1 geom2 interp interval name noise nsample user"},
    {2, '*', "contact",
     "body1 body2 cutoff data delay geom1 geom2 interp interval name noise nsample num reduce site "
     "subtree1 subtree2 user"},
    {2, '*', "e_potential", "cutoff delay interp interval name noise nsample user"},
    {2, '*', "e_kinetic", "cutoff delay interp interval name noise nsample user"},
    {2, '*', "clock", "cutoff delay interp interval name noise nsample user"},
    {2, '*', "tactile", "cutoff delay geom interp interval mesh name nsample user"},
    {2, '*', "user", "cutoff datatype dim name needstage noise objname objtype user"},
    {2, '*', "plugin", "cutoff instance name objname objtype plugin refname reftype user"},
    {3, '*', "config", "key value"},
    {1, '*', "custom", ""},
    {2, '*', "numeric", "data name size"},
    {2, '*', "text", "data name"},
    {2, '*', "tuple", "name"},
    {3, '*', "element", "objname objtype prm"},
    {1, '*', "keyframe", ""},
    {2, '*', "key", "act ctrl mpos mquat name plastic qpos qvel time"},
};
// clang-format on

static int32_t find_row(const char* name)
{
    for (int32_t i = 0; i < TL_COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return i;
    return -1;
}

static bool has_body_children(int32_t parent)
{
    return rows[parent].depth == 2 &&
           (strcmp(rows[parent].name, "body") == 0 || strcmp(rows[parent].name, "frame") == 0 ||
            strcmp(rows[parent].name, "replicate") == 0);
}

/// The row of element `name` under row `parent`, -1: not allowed there.
static int32_t child_row(int32_t parent, const char* name)
{
    if (has_body_children(parent))
        parent = find_row("worldbody");
    if (strcmp(rows[parent].name, "default") == 0 && strcmp(name, "default") == 0)
        return parent;
    for (int32_t i = parent + 1; i < TL_COUNT(rows) && rows[i].depth > rows[parent].depth; i++)
        if (rows[i].depth == rows[parent].depth + 1 && strcmp(rows[i].name, name) == 0)
            return i;
    return -1;
}

/// Names of the elements allowed under `parent`, for the message.
static void list_children(int32_t parent, char* text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    if (has_body_children(parent))
        parent = find_row("worldbody");
    for (int32_t i = parent + 1; i < TL_COUNT(rows) && rows[i].depth > rows[parent].depth; i++)
        if (rows[i].depth == rows[parent].depth + 1 && n + 1 < size) {
            const int k = snprintf(text + n, size - n, "%s%s", n ? ", " : "", rows[i].name);
            n += k > 0 ? (size_t)k : 0;
        }
    if (n == 0)
        snprintf(text, size, "no elements");
}

static bool has_word(const char* words, const char* name)
{
    const size_t n = strlen(name);
    for (const char* p = words; *p;) {
        const size_t k = strcspn(p, " ");
        if (k == n && memcmp(p, name, n) == 0)
            return true;
        p += k + strspn(p + k, " ");
    }
    return false;
}

static talus_status check_node(talus_context* ctx, const char* const* docs, tl_xml_node* n)
{
    const char* file = docs[n->doc];
    const int32_t parent = n->parent->row;
    n->row = child_row(parent, n->name);
    if (n->row < 0) {
        char expected[600];
        list_children(parent, expected, sizeof expected);
        return tl_fail_at(ctx, TALUS_ERR_INPUT, file, n->line,
                          "unknown element '%.60s' in <%s>; expected: %s", n->name, n->parent->name,
                          expected);
    }
    for (int32_t i = 0; i < n->nattr; i++)
        if (!has_word(rows[n->row].attrs, n->attr[i].name))
            return tl_fail_at(ctx, TALUS_ERR_INPUT, file, n->line,
                              "unknown attribute '%.60s' of <%s>; expected: %s", n->attr[i].name, n->name,
                              rows[n->row].attrs[0] ? rows[n->row].attrs : "no attributes");
    if (rows[n->row].card == '?')
        for (const tl_xml_node* o = n->parent->child; o != n; o = o->next)
            if (strcmp(o->name, n->name) == 0)
                return tl_fail_at(ctx, TALUS_ERR_INPUT, file, n->line, "<%s> may stand only once in <%s>",
                                  n->name, n->parent->name);
    return TALUS_OK;
}

talus_status tl_schema_check(talus_context* ctx, const char* const* docs, tl_xml_node* root)
{
    if (strcmp(root->name, "mujoco") != 0)
        return tl_fail_at(ctx, TALUS_ERR_INPUT, docs[root->doc], root->line,
                          "unknown root element '%.60s'; expected: mujoco", root->name);
    root->row = 0;
    // preorder without recursion
    for (tl_xml_node* n = root;;) {
        if (n->child) {
            n = n->child;
        } else {
            while (n != root && !n->next)
                n = n->parent;
            if (n == root)
                return TALUS_OK;
            n = n->next;
        }
        TL_TRY(check_node(ctx, docs, n));
    }
}
