#include "CSchemas.h"

// The JSON Schemas and the built-in flow definitions. A file that is added to Schemas/ must be listed here twice, which a test of
// FunnelSchemas checks. The privacy list is in PrivacyList.c.

static const unsigned char alerts_v1_schema[] = {
#embed "../../Schemas/alerts.v1.schema.json"
};
static const unsigned char mapping_v1_schema[] = {
#embed "../../Schemas/mapping.v1.schema.json"
};
static const unsigned char dead_letter_v1_schema[] = {
#embed "../../Schemas/dead_letter.v1.schema.json"
};
static const unsigned char event_v1_schema[] = {
#embed "../../Schemas/event.v1.schema.json"
};
static const unsigned char flow_v1_schema[] = {
#embed "../../Schemas/flow.v1.schema.json"
};
static const unsigned char flows_clarity_connection_v1[] = {
#embed "../../Schemas/flows/clarity.connection.v1.json"
};
static const unsigned char flows_clarity_focus_session_v1[] = {
#embed "../../Schemas/flows/clarity.focus_session.v1.json"
};
static const unsigned char flows_clarity_onboarding_v1[] = {
#embed "../../Schemas/flows/clarity.onboarding.v1.json"
};
static const unsigned char flows_clarity_onboarding_v2[] = {
#embed "../../Schemas/flows/clarity.onboarding.v2.json"
};
static const unsigned char flows_clarity_paywall_v1[] = {
#embed "../../Schemas/flows/clarity.paywall.v1.json"
};
static const unsigned char flows_clarity_prosocial_challenge_v1[] = {
#embed "../../Schemas/flows/clarity.prosocial_challenge.v1.json"
};
static const unsigned char flows_clarity_subscription_v1[] = {
#embed "../../Schemas/flows/clarity.subscription.v1.json"
};
static const unsigned char flows_cleaner_permissions_flow_v1[] = {
#embed "../../Schemas/flows/cleaner.permissions_flow.v1.json"
};
static const unsigned char flows_smilepile_onboarding_v1[] = {
#embed "../../Schemas/flows/smilepile.onboarding.v1.json"
};
static const unsigned char flows_smilepile_onboarding_v2[] = {
#embed "../../Schemas/flows/smilepile.onboarding.v2.json"
};
static const unsigned char flows_trendy_onboarding_v1[] = {
#embed "../../Schemas/flows/trendy.onboarding.v1.json"
};
static const unsigned char report_v1_schema[] = {
#embed "../../Schemas/report.v1.schema.json"
};

#define FILE_OF(name, array) {name, array, sizeof array}

static const funnel_schema_file files[] = {
    FILE_OF("dead_letter.v1.schema.json", dead_letter_v1_schema),
    FILE_OF("event.v1.schema.json", event_v1_schema),
    FILE_OF("flow.v1.schema.json", flow_v1_schema),
    FILE_OF("flows/clarity.connection.v1.json", flows_clarity_connection_v1),
    FILE_OF("flows/clarity.focus_session.v1.json", flows_clarity_focus_session_v1),
    FILE_OF("flows/clarity.onboarding.v1.json", flows_clarity_onboarding_v1),
    FILE_OF("flows/clarity.onboarding.v2.json", flows_clarity_onboarding_v2),
    FILE_OF("flows/clarity.paywall.v1.json", flows_clarity_paywall_v1),
    FILE_OF("flows/clarity.prosocial_challenge.v1.json", flows_clarity_prosocial_challenge_v1),
    FILE_OF("flows/clarity.subscription.v1.json", flows_clarity_subscription_v1),
    FILE_OF("flows/cleaner.permissions_flow.v1.json", flows_cleaner_permissions_flow_v1),
    FILE_OF("flows/smilepile.onboarding.v1.json", flows_smilepile_onboarding_v1),
    FILE_OF("flows/smilepile.onboarding.v2.json", flows_smilepile_onboarding_v2),
    FILE_OF("flows/trendy.onboarding.v1.json", flows_trendy_onboarding_v1),
    FILE_OF("alerts.v1.schema.json", alerts_v1_schema),
    FILE_OF("mapping.v1.schema.json", mapping_v1_schema),
    FILE_OF("report.v1.schema.json", report_v1_schema),
};

const funnel_schema_file *funnel_schema_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
