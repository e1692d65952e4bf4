"""One file a report; `REPORTS` has the function of each by its name on the command line."""

from .access import access_report
from .breaches import breaches_report
from .dropoff import dropoff_report
from .following import next_report
from .funnel import funnel_report
from .grants import grants_report
from .outcomes import outcomes_report
from .steps import steps_report
from .times import times_report
from .trend import trend_report

REPORTS = {
    "funnel": funnel_report,
    "grants": grants_report,
    "dropoff": dropoff_report,
    "steps": steps_report,
    "times": times_report,
    "trend": trend_report,
    "outcomes": outcomes_report,
    "breaches": breaches_report,
    "access": access_report,
    "next": next_report,
}
