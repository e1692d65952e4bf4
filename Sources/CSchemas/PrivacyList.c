#include "CSchemas.h"

// The privacy list has a file of its own: `funnel_schema_files` returns all files but this one.

static const unsigned char bytes[] = {
#embed "../../Schemas/privacy.json"
};

static const funnel_schema_file file = {"privacy.json", bytes, sizeof bytes};

const funnel_schema_file *funnel_privacy_file(void) {
    return &file;
}
