#include "CSchemas.h"
const unsigned char test_data[] = {
#embed "../../Package.swift"
};
