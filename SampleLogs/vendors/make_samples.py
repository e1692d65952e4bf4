#!/usr/bin/env python3
"""Writes one invented story of an app called notes as the exports of nine products, and as funnel's own events.

Each export has the fields that its vendor's public description names (see README.md), so that importers meet what they meet outside: ids,
addresses, traits, places, lists. All values are invented or from ranges kept for documentation. The files are the same at every run.
"""
import csv
import datetime
import gzip
import io
import json
import os
import random
import uuid
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
START = datetime.datetime(2026, 11, 1, 8, 0, 0)
PEOPLE = 60


def story():
    """Yields (person, number, seconds since START, event, properties) in the order of time."""
    chance = random.Random(20261101)
    events = []
    for person in range(PEOPLE):
        at = person * 7200 + chance.randrange(3600)
        events.append((at, person, "Welcome", {"source": chance.choice(["store", "friend", "web"])}))
        at += 5 + chance.randrange(50)
        if chance.random() < 0.15:
            continue
        events.append((at, person, "Signed Up", {"method": chance.choice(["apple", "google", "mail"])}))
        at += 3 + chance.randrange(20)
        if chance.random() < 0.8:
            events.append((at, person, "Push Prompt", {}))
            at += 2 + chance.randrange(10)
            answer = chance.choice(["allowed", "allowed", "denied", None])
            if answer:
                events.append((at, person, "Push Answer", {"result": answer}))
            at += 10
        if chance.random() < 0.3:
            continue
        events.append((at + chance.randrange(4000), person, "NoteCreated", {"words": 3 + chance.randrange(40), "pinned": chance.random() < 0.5}))
    events.sort()
    for number, (at, person, name, props) in enumerate(events):
        yield person, number, at, name, props


def device(person):
    """Returns the id of a person's device."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "https://notes.example/device/%d" % person))


def user(person):
    return "user-%03d" % person


def event_id(number):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "https://notes.example/event/%d" % number))


def moment(at):
    return START + datetime.timedelta(seconds=at)


def iso(at, digits="000"):
    return moment(at).strftime("%Y-%m-%dT%H:%M:%S.") + digits + "Z"


def epoch(at):
    return int((moment(at) - datetime.datetime(1970, 1, 1)).total_seconds())


def version(person):
    return "2.1.0" if person % 3 else "2.0.4"


NATIVE = {
    "Welcome": lambda props: ("step_viewed", "welcome"),
    "Signed Up": lambda props: ("signed_up", None),
    "Push Prompt": lambda props: ("perm_push_pre_prompt_shown", None),
    "Push Answer": lambda props: ("perm_push_granted" if props["result"] == "allowed" else "perm_push_denied", None),
    "NoteCreated": lambda props: ("note_created", None),
}


def native():
    for person, number, at, name, props in story():
        event, step = NATIVE[name](props)
        record = {"name": event, "ts": iso(at), "subject": device(person), "app": "notes", "id": event_id(number)}
        if step:
            record["step"] = step
        record["props"] = props
        record["ctx"] = {"app_version": version(person), "os": "iOS", "os_version": "18.1", "device": "iPhone17,1"}
        yield record


def segment(rudder=False):
    for person, number, at, name, props in story():
        record = {
            "anonymousId": device(person),
            "channel": "mobile",
            "context": {
                "active": True,
                "app": {"build": "204", "name": "Notes", "namespace": "example.notes", "version": version(person)},
                "device": {"advertisingId": "00000000-0000-4000-8000-%012d" % person, "id": device(person), "manufacturer": "Apple",
                           "model": "iPhone17,1", "name": "Phone of %s" % user(person), "type": "ios"},
                "ip": "192.0.2.%d" % (person + 1),
                "library": {"name": "rudder-ios-library" if rudder else "analytics-swift", "version": "1.6.2"},
                "network": {"cellular": False, "wifi": True},
                "os": {"name": "iOS", "version": "18.1"},
                "screen": {"height": 874, "width": 402},
                "timezone": "Europe/Berlin",
                "traits": {"email": "%s@example.com" % user(person), "plan": "free"},
            },
            "integrations": {},
            "messageId": event_id(number),
            "originalTimestamp": iso(at + 90),
            "properties": dict(props, tags=["onboarding", "v2"]),
            "receivedAt": iso(at + 3),
            "sentAt": iso(at + 92),
            "timestamp": iso(at),
            "type": "screen" if name == "Welcome" else "track",
            "userId": None if name == "Welcome" else user(person),
        }
        record["name" if name == "Welcome" else "event"] = name
        if rudder:
            record.update(rudderId=device(person), request_ip="192.0.2.%d" % (person + 1))
        else:
            record.update(version=2, writeKey="invented")
        yield record


def amplitude():
    for person, number, at, name, props in story():
        clock = moment(at).strftime("%Y-%m-%d %H:%M:%S.000000")
        yield {
            "$insert_id": event_id(number), "amplitude_id": 500000 + person, "app": 123456, "city": "Bonn", "client_event_time": clock,
            "client_upload_time": clock, "country": "Germany", "data": {"path": "/2/httpapi"}, "device_family": "Apple iPhone",
            "device_id": device(person), "device_model": "iPhone17,1", "device_type": "Apple iPhone", "dma": None, "event_id": number,
            "event_properties": dict(props, tags=["onboarding"]), "event_time": clock, "event_type": name, "group_properties": {},
            "groups": {}, "idfa": None, "ip_address": "192.0.2.%d" % (person + 1), "language": "English", "library": "amplitude-swift/1.9.0",
            "location_lat": None, "location_lng": None, "os_name": "iOS", "os_version": "18.1", "paying": None, "platform": "iOS",
            "processed_time": clock, "region": "North Rhine-Westphalia", "server_received_time": clock, "server_upload_time": clock,
            "session_id": epoch(at) * 1000, "user_creation_time": clock, "user_id": None if name == "Welcome" else user(person),
            "user_properties": {"plan": "free"}, "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, "amplitude/%d" % number)),
            "version_name": version(person),
        }


def mixpanel():
    for person, number, at, name, props in story():
        yield {"event": name, "properties": dict(props, **{
            "time": epoch(at), "distinct_id": "$device:" + device(person) if name == "Welcome" else user(person),
            "$app_build_number": "204", "$app_version_string": version(person), "$city": "Bonn", "$device_id": device(person),
            "$insert_id": event_id(number), "$lib_version": "5.0.1", "$manufacturer": "Apple", "$model": "iPhone17,1", "$os": "iOS",
            "$os_version": "18.1", "$region": "North Rhine-Westphalia", "$user_id": None if name == "Welcome" else user(person),
            "mp_country_code": "DE", "mp_lib": "swift", "mp_processing_time_ms": epoch(at) * 1000 + 900, "tags": ["onboarding"],
        })}


def posthog():
    for person, number, at, name, props in story():
        yield {
            "uuid": event_id(number), "event": name, "timestamp": moment(at).strftime("%Y-%m-%dT%H:%M:%S.000000+00:00"),
            "distinct_id": device(person) if name == "Welcome" else user(person), "team_id": 1,
            "properties": dict(props, **{
                "$app_build": "204", "$app_version": version(person), "$device_id": device(person), "$device_manufacturer": "Apple",
                "$device_model": "iPhone17,1", "$device_name": "Phone of %s" % user(person), "$geoip_city_name": "Bonn",
                "$geoip_country_code": "DE", "$geoip_latitude": 50.7, "$geoip_longitude": 7.1, "$ip": "192.0.2.%d" % (person + 1),
                "$lib": "posthog-ios", "$lib_version": "3.19.1", "$os_name": "iOS", "$os_version": "18.1", "$session_id": "s%d" % person,
                "$set": {"plan": "free"}, "$active_feature_flags": ["new-onboarding"],
            }),
            "person_properties": {"email": "%s@example.com" % user(person)},
        }


def ga4():
    for person, number, at, name, props in story():
        params = [{"key": "ga_session_id", "value": {"string_value": None, "int_value": str(epoch(at)), "float_value": None, "double_value": None}}]
        for key, value in props.items():
            text = value if isinstance(value, str) else None
            number_text = str(int(value)) if not isinstance(value, str) else None
            params.append({"key": key, "value": {"string_value": text, "int_value": number_text, "float_value": None, "double_value": None}})
        yield {
            "event_date": moment(at).strftime("%Y%m%d"), "event_timestamp": str(epoch(at) * 1000000),
            "event_name": name.lower().replace(" ", "_") if name != "NoteCreated" else "note_created", "event_params": params,
            "event_bundle_sequence_id": str(number), "event_server_timestamp_offset": "1200",
            "user_id": None if name == "Welcome" else user(person), "user_pseudo_id": device(person),
            "user_properties": [{"key": "plan", "value": {"string_value": "free"}}],
            "device": {"category": "mobile", "mobile_brand_name": "Apple", "mobile_model_name": "iPhone17,1", "operating_system": "iOS",
                       "operating_system_version": "18.1", "vendor_id": device(person), "advertising_id": None, "language": "en-us"},
            "geo": {"city": "Bonn", "continent": "Europe", "country": "Germany", "region": "North Rhine-Westphalia"},
            "app_info": {"id": "example.notes", "version": version(person), "install_source": "iTunes"},
            "stream_id": "1234567890", "platform": "IOS",
        }


SNOWPLOW = "com.snowplowanalytics."
SNOWPLOW_COLUMNS = """
    app_id platform etl_tstamp collector_tstamp dvce_created_tstamp event event_id txn_id name_tracker v_tracker v_collector v_etl user_id
    user_ipaddress user_fingerprint domain_userid domain_sessionidx network_userid geo_country geo_region geo_city geo_zipcode geo_latitude
    geo_longitude geo_region_name ip_isp ip_organization ip_domain ip_netspeed page_url page_title page_referrer page_urlscheme page_urlhost
    page_urlport page_urlpath page_urlquery page_urlfragment refr_urlscheme refr_urlhost refr_urlport refr_urlpath refr_urlquery
    refr_urlfragment refr_medium refr_source refr_term mkt_medium mkt_source mkt_term mkt_content mkt_campaign contexts se_category se_action
    se_label se_property se_value unstruct_event tr_orderid tr_affiliation tr_total tr_tax tr_shipping tr_city tr_state tr_country ti_orderid
    ti_sku ti_name ti_category ti_price ti_quantity pp_xoffset_min pp_xoffset_max pp_yoffset_min pp_yoffset_max useragent br_name br_family
    br_version br_type br_renderengine br_lang br_features_pdf br_features_flash br_features_java br_features_director br_features_quicktime
    br_features_realplayer br_features_windowsmedia br_features_gears br_features_silverlight br_cookies br_colordepth br_viewwidth
    br_viewheight os_name os_family os_manufacturer os_timezone dvce_type dvce_ismobile dvce_screenwidth dvce_screenheight doc_charset
    doc_width doc_height tr_currency tr_total_base tr_tax_base tr_shipping_base ti_currency ti_price_base base_currency geo_timezone
    mkt_clickid mkt_network etl_tags dvce_sent_tstamp refr_domain_userid refr_device_tstamp derived_contexts domain_sessionid derived_tstamp
    event_vendor event_name event_format event_version event_fingerprint true_tstamp
""".split()


def snowplow():
    """Yields (atomic fields, schema of the event and its data, schemas of the contexts and their data)."""
    schemas = {"Welcome": "screen_view", "Signed Up": "signed_up", "Push Prompt": "push_prompt", "Push Answer": "push_answer",
               "NoteCreated": "note_created"}
    for person, number, at, name, props in story():
        screen = name == "Welcome"
        vendor = SNOWPLOW + "mobile" if screen else "example.notes"
        data = dict(props, name="Welcome", id=event_id(number)) if screen else dict(props, tags=["onboarding"])
        fields = {
            "app_id": "notes", "platform": "mob", "etl_tstamp": at + 5, "collector_tstamp": at + 2, "dvce_created_tstamp": at + 90,
            "dvce_sent_tstamp": at + 92, "derived_tstamp": at, "event": "unstruct", "event_id": event_id(number), "name_tracker": "onboarding",
            "v_tracker": "ios-6.2.5", "v_collector": "ssc-3.3.0-kinesis", "v_etl": "snowplow-enrich-kinesis-5.1.1",
            "user_id": None if screen else user(person), "user_ipaddress": "192.0.2.%d" % (person + 1),
            "network_userid": "00000000-0000-0000-0000-000000000000", "geo_country": "DE", "geo_region": "NW", "geo_city": "Bonn",
            "geo_latitude": 50.7, "geo_longitude": 7.1, "useragent": "Notes/204 CFNetwork Darwin", "br_lang": "en-US",
            "os_timezone": "Europe/Berlin", "dvce_screenwidth": 402, "dvce_screenheight": 874, "event_vendor": vendor,
            "event_name": schemas[name], "event_format": "jsonschema", "event_version": "1-0-0",
        }
        contexts = [
            (SNOWPLOW + "snowplow", "client_session", "1-0-2",
             {"userId": device(person), "sessionId": event_id(1000 + person), "sessionIndex": 1, "previousSessionId": None,
              "storageMechanism": "LOCAL_STORAGE"}),
            (SNOWPLOW + "snowplow", "mobile_context", "1-0-3",
             {"osType": "iOS", "osVersion": "18.1", "deviceManufacturer": "Apple", "deviceModel": "iPhone17,1",
              "appleIdfv": device(person), "carrier": "Invented"}),
            (SNOWPLOW + "mobile", "application", "1-0-0", {"version": version(person), "build": "204"}),
            ("example.notes", "plan", "1-0-0", {"plan": "free", "email": "%s@example.com" % user(person)}),
        ]
        yield fields, (vendor, schemas[name], "1-0-0", data), contexts


def schema_address(vendor, name, version):
    return "iglu:%s/%s/jsonschema/%s" % (vendor, name, version)


def described(schema, data):
    return {"schema": schema, "data": data}


def snowplow_lines():
    """Yields the lines of the enriched stream."""
    for fields, (vendor, name, version, data), contexts in snowplow():
        cells = dict(fields)
        for key in list(cells):
            if key.endswith("_tstamp"):
                cells[key] = iso(cells[key])[:-1].replace("T", " ")
        cells["unstruct_event"] = json.dumps(
            described(schema_address(SNOWPLOW + "snowplow", "unstruct_event", "1-0-0"), described(schema_address(vendor, name, version), data)),
            separators=(",", ":"))
        cells["contexts"] = json.dumps(
            described(schema_address(SNOWPLOW + "snowplow", "contexts", "1-0-0"),
                      [described(schema_address(*context[:3]), context[3]) for context in contexts]),
            separators=(",", ":"))
        yield "\t".join("" if cells.get(column) is None else str(cells[column]) for column in SNOWPLOW_COLUMNS)


def snowplow_json():
    """Yields the records of an analytics SDK."""
    for fields, (vendor, name, version, data), contexts in snowplow():
        record = {column: None for column in SNOWPLOW_COLUMNS if column not in ("contexts", "unstruct_event", "derived_contexts")}
        record.update((key, iso(value) if key.endswith("_tstamp") else value) for key, value in fields.items())
        record["unstruct_event_%s_%s_1" % (vendor.replace(".", "_"), name)] = data
        for vendor, name, version, data in contexts:
            record["contexts_%s_%s_1" % (vendor.replace(".", "_"), name)] = [data]
        yield record


def cloudevents():
    for person, number, at, name, props in story():
        yield {
            "specversion": "1.0", "id": event_id(number), "source": "/apps/notes", "type": "example.notes." + name.replace(" ", ""),
            "subject": device(person), "time": iso(at), "datacontenttype": "application/json", "traceparent": "00-%032x-%016x-01" % (number + 1, number + 1),
            "data": dict(props, app_version=version(person), device={"model": "iPhone17,1"}, tags=["onboarding"]),
        }


def table():
    """Yields the rows of the CSV, the header first. A note has a comma, a quote and a line break in it."""
    yield ["event id", "person", "happened at", "what", "screen", "source", "result", "version", "note"]
    for person, number, at, name, props in story():
        yield [event_id(number), device(person), moment(at).strftime("%Y-%m-%d %H:%M:%S"), name, "welcome" if name == "Welcome" else "",
               props.get("source", ""), props.get("result", ""), version(person), 'she said "hello",\nand left' if number % 20 == 0 else ""]


PUSH_ANSWER = [
    {"name": "perm_push_granted", "when": {"PATH.result": "allowed"}},
    {"name": "perm_push_denied", "when": {"PATH.result": "denied"}},
]


def mapping(form, path, names=None, **more):
    """Returns a mapping whose properties stand below a path; `names` says what events are called."""
    names = names or {}
    answer = json.loads(json.dumps(PUSH_ANSWER).replace("PATH.", path + "." if path else ""))
    events = {
        names.get("Welcome", "Welcome"): {"name": "step_viewed", "step": more.pop("step", "welcome")},
        names.get("Push Prompt", "Push Prompt"): {"name": "perm_push_pre_prompt_shown"},
        names.get("Push Answer", "Push Answer"): answer,
    }
    return dict({"from": form, "app": "notes"}, **more, events=events)


def lines(records):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records).encode()


def packed(data):
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def archive(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files:
            file.writestr(zipfile.ZipInfo(name, (2026, 11, 7, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)


def write_map(name, content):
    write(name, (json.dumps(content, indent=2) + "\n").encode())


def main():
    write("native.ndjson.gz", packed(lines(native())))
    write("segment.gz", packed(lines(segment())))
    write_map("segment.map.json", mapping("segment", "properties"))
    write("rudderstack.jsonl.gz", packed(lines(segment(rudder=True))))
    write_map("rudderstack.map.json", mapping("rudderstack", "properties"))
    hours = list(amplitude())
    half = len(hours) // 2
    write("amplitude.zip", archive([("123456/123456_2026-11-01_8#%d.json.gz" % part, packed(lines(records)))
                                    for part, records in enumerate([hours[:half], hours[half:]])]))
    write_map("amplitude.map.json", mapping("amplitude", "event_properties"))
    write("mixpanel.ndjson.gz", packed(lines(mixpanel())))
    write_map("mixpanel.map.json", mapping("mixpanel", "properties"))
    write("posthog.json.gz", packed((json.dumps(list(posthog()), indent=2) + "\n").encode()))
    write_map("posthog.map.json", mapping("posthog", "properties"))
    write("ga4.json.gz", packed(lines(ga4())))
    write_map("ga4.map.json", mapping("ga4", "event_params", {"Welcome": "welcome", "Push Prompt": "push_prompt", "Push Answer": "push_answer"}))
    write("snowplow.tsv.gz", packed("".join(line + "\n" for line in snowplow_lines()).encode()))
    write("snowplow.json.gz", packed(lines(snowplow_json())))
    write_map("snowplow.map.json", mapping("snowplow", "unstruct_event", {"Push Prompt": "push_prompt", "Push Answer": "push_answer"}))
    write("cloudevents.json.gz", packed(json.dumps(list(cloudevents())).encode()))
    write_map("cloudevents.map.json", mapping("cloudevents", "data", {"Welcome": "welcome", "Push Prompt": "push_prompt", "Push Answer": "push_answer"},
                                              ctx={"app_version": "data.app_version"}))
    buffer = io.StringIO()
    csv.writer(buffer).writerows(table())
    write("table.csv", buffer.getvalue().encode())
    write_map("csv.map.json", mapping("csv", "", subject="person", id="event id", ts="happened at", name="what", step="$screen",
                                      props={"source": "source", "result": "result"}, ctx={"app_version": "version"}))


if __name__ == "__main__":
    main()
