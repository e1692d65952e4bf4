#include "CSchemas.h"

// In a file of its own: an app links the privacy list alone, and the linker leaves out the flow definitions.

static const unsigned char bytes[] = {
#embed "../../Schemas/privacy.json"
};

static const funnel_schema_file file = {"privacy.json", bytes, sizeof bytes};

const funnel_schema_file *funnel_privacy_file(void) {
    return &file;
}
