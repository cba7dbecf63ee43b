#!/bin/bash
# A queue worked by a job of SLURM that is ended twice in mid-run and starts again: once by `scancel --signal=TERM`, as
# preemption does, and once by `scontrol requeue`, which signals every process of the job. Each time another node goes
# on. Shows that one training comes to its end, with the weights of one that nothing interrupted. Needs a SLURM of two
# nodes that may be used, and a folder that both of them see.
#
#   tests/bench/queue_on_slurm.sh DASGD FOLDER
set -euo pipefail

dasgd=$(realpath "${1:?usage: queue_on_slurm.sh DASGD FOLDER}")
folder=${2:?usage: queue_on_slurm.sh DASGD FOLDER}
mkdir -p "$folder"
cd "$folder"
patience_s=120

cat >e.toml <<'TOML'
name = "on-slurm"
[algorithm]
name = "dasgd"
period = 4
delay = 2
[model]
name = "quadratic"
matrix = [[2.0, 0.5], [0.5, 1.0]]
targets = [[1.0, 0.0], [0.0, 1.0]]
start = [4.0, -3.0]
[train]
steps = 60000
eval_every = 20000
precision = "float64"
[optimizer]
learning_rate = 0.00001
momentum = 0.9
[cluster]
backend = "gloo"
workers = 2
TOML

cat >job.sh <<JOB
#!/bin/bash
#SBATCH --job-name=dasgd-queue --requeue --signal=B:TERM@60 --open-mode=append --output=job.log
#SBATCH --ntasks=1 --cpus-per-task=2
echo "node \$SLURMD_NODENAME, start \${SLURM_RESTART_COUNT:-0}"
exec "$dasgd" queue work --until-empty -w w
JOB

# Waits until the command after the first argument succeeds; that one says what for.
await() {
    local what=$1 end=$((SECONDS + patience_s))
    shift
    until "$@"; do
        if ((SECONDS > end)); then
            echo "$what: not within $patience_s s; see $folder/job.log" >&2
            exit 1
        fi
        sleep 0.2
    done
}
# A field of the newest run.
newest() { "$dasgd" list -w w --json | head -n 1 | grep -o "\"$1\":[^,}]*" | cut -d: -f2 | tr -d '"'; }
is() { [ "$(newest status)" = "$1" ]; }
trains_beyond() { is running && (($(newest steps) > $1)); }
state() { squeue --noheader --job "$job" --format %T 2>/dev/null || true; }
# A requeued job waits two minutes for its turn by default.
again_elsewhere() {
    local node
    node=$(grep -o '^node [^,]*' job.log | tail -n 1 | cut -d' ' -f2)
    await "the job waits" waits
    scontrol update JobId="$job" ExcNodeList="$node" StartTime=now
}
waits() { [ "$(state)" = PENDING ]; }
has_ended() { ! [[ $(state) =~ RUNNING|COMPLETING ]]; }

"$dasgd" queue add e.toml -w w
job=$(sbatch --parsable job.sh)
echo "job $job"

await "the run trains" trains_beyond 1000
echo "--- scancel --batch --signal=TERM at step $(newest steps)"
scancel --batch --signal=TERM "$job"
await "the worker stops" is queued
"$dasgd" queue -w w
# The job's script has ended with 130: it starts again, as it does by itself where SLURM preempted it, on another node.
await "the job ends" has_ended
scontrol requeue "$job"
again_elsewhere

await "it goes on" trains_beyond 0
await "it trains on" trains_beyond $(($(newest steps) + 1000))
echo "--- scontrol requeue at step $(newest steps)"
scontrol requeue "$job"
await "it stops" is queued
again_elsewhere
await "it ends" is finished

"$dasgd" list -w w
echo "--- job.log"
cat job.log
"$dasgd" run e.toml -w whole -q >/dev/null
model() { find "$1/runs" -name model.safetensors -path "*$2*" -not -path '*/checkpoints/*' | head -n 1; }
own=$(model w "$(newest run_id)")
unbroken=$(model whole '')
if ! cmp "$own" "$unbroken"; then
    echo "the weights differ" >&2
    exit 1
fi
echo "weights bit-equal to those of an unbroken run: $(sha256sum <"$own" | cut -c1-16)"
