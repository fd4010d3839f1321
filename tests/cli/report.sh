# tutti report, without a browser: what is written, that it harms nobody, and how it fails.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

# The page of a whole store: each record in the list and with its own section, with tables that need
# no script, and nothing that is fetched.
expect 0 report -o page.html
[ ! -s out ] || fail "it speaks where there is nothing to say"
[ "$(grep -c '<section class=record' page.html)" -eq 4 ] || fail "not four records"
[ "$(grep -c '<tr><th scope=row><a href="#record-' page.html)" -eq 4 ] || fail "not four lines in the list"
grep -q 'rank 1: the outputs are wrong' page.html || fail "the reason of a failure is missing"
grep -q 'Example 9000' page.html || fail "the environment is missing"
sed 's/<script>.*//' page.html | grep -qE '(src|href)=.?(http|//)' && fail "the page fetches something"
grep -q "default-src 'none'; script-src 'sha256-" page.html || fail "no policy for scripts"

# Every script is one that the policy names.
command -v python3 >/dev/null && { python3 - page.html >out 2>&1 <<'END' || fail "the policy's hashes"
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
policy = re.search(r"script-src ([^;]*);", page).group(1).split()
scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
hashes = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
print(policy, hashes)
assert len(hashes) == 3 and policy == hashes
END
}

# What others wrote is as they released it, and its licences go with the page.
vendor=$DOCS/../tools/tutti/report/vendor
for script in d3.min.js plot.umd.min.js; do
    sum=$(sha256sum <"$vendor/$script")
    grep -q "^| $script .* ${sum%% *} |" "$vendor/README.md" || fail "$script is not what its README says"
done
[ "$(sed -n '/^<!--$/,/^-->$/p' page.html | grep -c '^Copyright')" -eq 5 ] || fail "the licences"

# Always the same bytes for the same records at the same time.
SOURCE_DATE_EPOCH=1793200000
export SOURCE_DATE_EPOCH
expect 0 report -o one.html
expect 0 report -o two.html
cmp -s one.html two.html || fail "two pages of the same records differ"
"$TUTTI" report -o - >three.html || fail "no page on stdout"
cmp -s one.html three.html || fail "stdout has another page"
unset SOURCE_DATE_EPOCH

# Some records, one of Triton-distributed among them.
"$MAKE_STORE" triton triton || fail "no record of Triton-distributed"
expect 0 report triton/ag_gemm/*.json "$store"/reverse_a2a/*.json -o some.html --json
says '"records": 4'
grep -q 'the default is not in the record' some.html || fail "a gain that nobody knows"
expect 1 report nosuch -o none.html
says 'no such record'
[ ! -e none.html ] || fail "a page about nothing"

# Usage.
expect 2 report
says '--output, --svg or --png is missing'
expect 2 report -o a.html --x buffer_num
expect 2 report --svg a.svg --plot nosuch
expect 2 report --svg a.svg --plot race --x buffer_num
expect 2 report --svg - --png -
expect 3 report -o missing/a.html
says "can't write missing/a.html"
echo before >kept.html
chmod 555 . && [ ! -w . ] && expect 3 report -o kept.html && [ "$(cat kept.html)" != before ] &&
    fail "a page that could not be written took the old one along"
chmod 755 .

# Text of records means nothing to HTML, nor to JSON in it.
command -v python3 >/dev/null || exit 0
python3 "$here/report_records.py" . || fail "no records"
expect 0 report ./hostile.json -o hostile.html
grep -q '<img' hostile.html && fail "a record's text became an element"
[ "$(grep -o '</script' hostile.html | wc -l)" -eq 4 ] || fail "a record's text ended a script"
grep -q '&lt;/script&gt;&lt;img src=x' hostile.html || fail "the text itself is missing"
LC_ALL=C grep -q "$(printf '[\001\033]')" hostile.html && fail "control characters"
exit 0
