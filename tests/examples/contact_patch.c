// SPDX-License-Identifier: MIT
// Contact patches without a scene: a soft ball is pressed into a rigid floor and into a ball like itself. Each polygon
// is a contact of stiffness k and overlap delta0; at rest their forces add up to the closed form
//     F = 2 pi E [ c^2/2 - (R^3 - (R - d)^3) / (3 R) ],  c^2 = R^2 - (R - d)^2
// of a ball with the pressure E (1 - r/R), d deep in a plane, up to the size of the mesh.
#include <math.h>
#include <stdio.h>
#include <talus/talus.h>

int main(void)
{
    const double R = 0.1, E = 1e6, pi = 3.14159265358979323846;
    talus_context* ctx = NULL;
    talus_field *ball = NULL, *ground = NULL;
    talus_patch_query* query = NULL;
    talus_field_def soft = talus_field_default(), rigid = talus_field_default();
    soft.shape = TALUS_FIELD_SPHERE, soft.size[0] = R, soft.modulus = E, soft.hint = 0.005;
    rigid.shape = TALUS_FIELD_HALF_SPACE, rigid.kind = TALUS_FIELD_RIGID;
    if (talus_context_create(NULL, &ctx) < 0 || talus_field_create(ctx, &soft, &ball) < 0 ||
        talus_field_create(ctx, &rigid, &ground) < 0 || talus_patch_query_create(ctx, NULL, &query) < 0)
        return 1;
    int bad = 0;
    for (double d = 0.005; d < 0.03; d += 0.005) {
        const talus_pose origin = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        talus_patch_pair pairs[] = {{ball, ground, origin, origin}, {ball, ball, origin, origin}};
        pairs[0].X_WA.p[2] = R - d;       // d deep in the floor
        pairs[1].X_WA.p[2] = 2 * (R - d); // each half of that in the other
        bad += talus_patch_query_run(query, 2, pairs) < 0;
        const double c2 = R * R - (R - d) * (R - d);
        const double want = 2 * pi * E * (c2 / 2 - (R * R * R - pow(R - d, 3)) / (3 * R));
        for (int i = 0; i < 2; i++) {
            const talus_faces f = talus_patch_query_faces(query, i);
            double force = 0;
            for (int k = 0; k < f.count; k++)
                force += f.k[k] * f.delta0[k] * f.normal[3 * k + 2];
            printf("%s, %2.0f mm: %4d polygons, %6.1f N, closed form %6.1f N\n", i ? "ball " : "floor",
                   1e3 * d, f.count, force, want);
            bad += fabs(force - want) > 0.03 * want;
        }
    }
    talus_patch_query_destroy(query);
    talus_field_destroy(ground);
    talus_field_destroy(ball);
    talus_context_destroy(ctx);
    return bad;
}
