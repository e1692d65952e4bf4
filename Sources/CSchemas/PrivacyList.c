#include "CSchemas.h"

// The privacy list has a file of its own, so that the linker omits the flow definitions from apps, which need only the list.

static const unsigned char bytes[] = {
#embed "../../Schemas/privacy.json"
};

static const funnel_schema_file file = {"privacy.json", bytes, sizeof bytes};

const funnel_schema_file *funnel_privacy_file(void) {
    return &file;
}
