#: days until due
from datetime import datetime, timezone
today = datetime(2026, 12, 1, tzinfo=timezone.utc)
items = [t for t in onto.task.list(project_id="<Atlas>")["items"] if t["due_at"]]
sorted((datetime.fromisoformat(t["due_at"].replace("Z", "+00:00")) - today).days for t in items)
#: overdue tasks
from datetime import date
today = date(2026, 12, 5)
[t["title"] for t in onto.task.list(project_id="<Atlas>")["items"] if t["due_at"] and date.fromisoformat(t["due_at"][:10]) < today and t["state_key"] != "done"]
#: by month
from datetime import datetime
months = {}
for t in onto.task.list(project_id="<Atlas>")["items"]:
    if t["due_at"]:
        m = datetime.strptime(t["due_at"], "%Y-%m-%dT%H:%M:%S.%fZ").strftime("%b %Y")
        months[m] = months.get(m, 0) + 1
dict(sorted(months.items()))
#: by weekday
from datetime import date
days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
sorted((days[date.fromisoformat(t["due_at"][:10]).weekday()], t["title"]) for t in onto.task.list(project_id="<Borealis>")["items"] if t["due_at"])
#: iso weeks
from datetime import date
sorted({date.fromisoformat(t["due_at"][:10]).isocalendar()[:2] for t in onto.task.list(project_id="<Borealis>")["items"] if t["due_at"]})
#: a schedule
from datetime import datetime, timedelta
at = datetime(2027, 1, 4, 9)
for t in sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: (t["priority"], t["title"])):
    end = at + timedelta(hours=t["props"]["hours"])
    print(f"{at:%a %d.%m. %H:%M}-{end:%H:%M} {t['title']}")
    at = end
at
#: dates as results
from datetime import date, datetime, timedelta, timezone
d = date.fromisoformat(onto.milestone.list(project_id="<Atlas>")["items"][0]["due_at"][:10])
[d, datetime(2027, 1, 31, 12, 30), d - date(2027, 1, 1), d.replace(day=1), datetime(2027, 1, 1, tzinfo=timezone(timedelta(hours=2)))]
#: time zones
from datetime import datetime
from datetime import timezone, timedelta
due = datetime.fromisoformat(onto.milestone.list(project_id="<Borealis>")["items"][0]["due_at"].replace("Z", "+00:00"))
local = due.astimezone(timezone(timedelta(hours=-5), "EST"))
[local.isoformat(), local.tzname(), due.timestamp(), local == due]
#: calendar of a month
import calendar
d = onto.milestone.list(project_id="<Borealis>")["items"][0]["due_at"]
year, month = int(d[:4]), int(d[5:7])
[calendar.monthrange(year, month), calendar.isleap(year), calendar.month_name[month], len(calendar.monthcalendar(year, month))]
#: working days
from datetime import date, timedelta
def workdays(a, b):
    return sum((a + timedelta(n)).weekday() < 5 for n in range((b - a).days))
due = date.fromisoformat(onto.milestone.list(project_id="<Atlas>")["items"][0]["due_at"][:10])
workdays(date(2026, 12, 1), due)
#: a gap between milestones
from datetime import datetime
a, b = (datetime.fromisoformat(onto.milestone.list(project_id=p)["items"][0]["due_at"][:19]) for p in ("<Atlas>", "<Borealis>"))
[str(b - a), (b - a).total_seconds(), abs(a - b).days, max(a, b).isoformat()]
#: a date that is none
from datetime import date
rows = onto.document.get("<Guest list>")["document"]["content"].splitlines()
try:
    date.fromisoformat(rows[1])
except ValueError as e:
    r = type(e).__name__
r
#: now is after the writes
from datetime import datetime, timezone
t = onto.task.get("<Rehearse>")["task"]
made = datetime.fromisoformat(t["created_at"].replace("Z", "+00:00"))
now = datetime.now(timezone.utc)
[made <= now, now.year >= 2024, made.tzinfo is not None]
#: time moves on with calls
import time
a = time.time()
onto.project.get("<Atlas>")
b = time.time()
[b >= a, isinstance(a, float), time.strftime("%Y", time.gmtime(0)), time.gmtime(86400).tm_mday]
#: age in words
from datetime import timedelta
def words(d):
    s = int(d.total_seconds())
    for n, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if s >= n:
            k = s // n
            return f"{k} {unit}{'s' if k != 1 else ''}"
    return "now"
[words(timedelta(hours=t["props"]["hours"])) for t in sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: t["title"])]
