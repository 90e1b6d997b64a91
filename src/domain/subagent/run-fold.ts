import type { EndStatus } from '../record/observation'
import { MINUTE_MS } from '../time-units'
import { type FoldedRun, GONE, OUTPUT_LOOK, type RunNotice, type SubagentMark } from './subagent-run'

/**
 * Makes the runs of one sub-agent from what its sources said. Pure; the order of the marks does not matter, nor do doubles.
 *
 * A run is known by the call that began it: the CLI's notices and task lines repeat that call's id, for a continued agent that
 * of the message. Marks without a call (hooks, looks at an output) are put to a run by time: a start after an end begins a
 * run of its own. Lines decide; a hook's word counts for what they don't tell.
 */
export function foldRuns(marks: readonly SubagentMark[]): FoldedRun[] {
  const runs = calledRuns(marks)
  const uncalled = marks.filter((mark) => mark.toolUseId === null)
  const timed = uncalled.filter((mark) => timeOf(mark) !== null).sort(compareMarks)
  for (const mark of timed) placeMark(runs, mark)
  // Without a time and a call: only where there is one run to be about.
  const untimed = uncalled.filter((mark) => timeOf(mark) === null).sort(compareMarks)
  if (runs.length === 0 && untimed.length > 0) runs.push({ begin: null, marks: [] })
  if (runs.length === 1) runs[0]?.marks.push(...untimed)
  return runs.map(({ marks: own }, at) => foldRun(own, at + 1))
}

/** Marks of one run while runs are being separated. */
interface Run {
  /** When it began, as far as is known; in milliseconds. */
  begin: number | null
  marks: SubagentMark[]
}

const isHook = (mark: SubagentMark): boolean => mark.evidence.startsWith('hook:')
const timeOf = (mark: SubagentMark): number | null => mark.at ?? mark.seenAt

/** A hook of a start may run before the answer of the call that made it is written. Milliseconds. */
const CALL_DELAY_MS = MINUTE_MS

function calledRuns(marks: readonly SubagentMark[]): Run[] {
  const byCall = new Map<string, SubagentMark[]>()
  for (const mark of marks) {
    if (mark.toolUseId === null) continue
    const marksOfCall = byCall.get(mark.toolUseId)
    if (marksOfCall) marksOfCall.push(mark)
    else byCall.set(mark.toolUseId, [mark])
  }
  return [...byCall]
    .map(([call, own]) => ({ call, marks: own, begin: beginOf(own), isLaunch: own.some(isLaunch) }))
    .sort(
      (a, b) =>
        Number(b.isLaunch) - Number(a.isLaunch) ||
        (a.begin ?? Infinity) - (b.begin ?? Infinity) ||
        (a.call < b.call ? -1 : 1),
    )
}

const isLaunch = (mark: SubagentMark): boolean => mark.trigger === 'launch'

function beginOf(marks: readonly SubagentMark[]): number | null {
  const starts = marks.filter((mark) => mark.kind === 'start')
  const lines = starts.filter((mark) => !isHook(mark))
  return least(lines.map(timeOf)) ?? least(starts.map(timeOf)) ?? least(marks.map(timeOf))
}

function placeMark(runs: Run[], mark: SubagentMark): void {
  const at = timeOf(mark) ?? 0
  let index = 0
  for (const [n, run] of runs.entries()) if (run.begin !== null && run.begin <= at) index = n
  const run = runs[index]
  if (!run) {
    runs.push({ begin: at, marks: [mark] })
    return
  }
  if (mark.kind === 'start' && run.marks.some((other) => other.kind === 'end' && other.at !== null && other.at <= at)) {
    const next = runs[index + 1]
    if (next && (next.begin === null || next.begin - at <= CALL_DELAY_MS)) next.marks.push(mark)
    else runs.splice(index + 1, 0, { begin: at, marks: [mark] })
    return
  }
  run.marks.push(mark)
}

function foldRun(marks: SubagentMark[], number: number): FoldedRun {
  const triggers = new Set(marks.map((mark) => mark.trigger))
  const starts = marks.filter((mark) => mark.kind === 'start')
  const lineStarts = starts.filter((mark) => !isHook(mark))
  const startedAt = least(lineStarts.map((mark) => mark.at)) ?? least(starts.map((mark) => mark.at))
  const end = endOf(marks)
  return {
    number,
    trigger: triggers.has('message') ? 'message' : triggers.has('launch') ? 'launch' : 'unknown',
    toolUseId: marks.find((mark) => mark.toolUseId !== null)?.toolUseId ?? null,
    startedAt,
    endedAt: end?.at ?? null,
    status: end?.status ?? null,
    evidence: end?.evidence ?? 'no end seen',
    result: resultOf(marks),
    notices: noticesOf(marks, end?.at ?? null),
  }
}

/** A run that failed has an end that says so, even if another end calls it completed. */
const GRAVITY: EndStatus[] = ['completed', 'failed', 'killed']
const gravityOf = (mark: SubagentMark): number => (mark.status === null ? -1 : GRAVITY.indexOf(mark.status))

function endOf(marks: SubagentMark[]): { status: EndStatus; at: number | null; evidence: string } | null {
  const all = marks.filter((mark) => mark.kind === 'end' && mark.status !== null)
  const lines = all.filter((mark) => !isHook(mark))
  const ends = (lines.length > 0 ? lines : all).sort(
    (a, b) => gravityOf(b) - gravityOf(a) || Number(a.at === null) - Number(b.at === null) || compareMarks(a, b),
  )
  const [first] = ends
  if (first?.status == null) return null
  const times = ends.map((mark) => mark.at)
  // A notice may wait for a turn, so the first line to tell is nearest. An agent that a Stop hook sent on stops more than once.
  return { status: first.status, at: lines.length > 0 ? least(times) : greatest(times), evidence: first.evidence }
}

function resultOf(marks: readonly SubagentMark[]): string | null {
  let best: string | null = null
  for (const { result } of marks) {
    if (result === null) continue
    if (best === null || result.length > best.length || (result.length === best.length && result > best)) best = result
  }
  return best
}

/** Lines of one run that are looked at. */
const NOTICE_LIMIT = 20

function noticesOf(marks: readonly SubagentMark[], endedAt: number | null): RunNotice[] {
  const byLine = new Map<string, RunNotice>()
  for (const mark of [...marks].sort(compareMarks)) {
    if (mark.line === null || byLine.has(mark.line)) continue
    if (mark.evidence === OUTPUT_LOOK && (endedAt === null || (timeOf(mark) ?? 0) < endedAt)) continue
    const kind = mark.evidence.endsWith(':notification') || mark.evidence === GONE ? 'notice' : 'content'
    byLine.set(mark.line, { line: mark.line, at: timeOf(mark), kind })
  }
  return [...byLine.values()].slice(0, NOTICE_LIMIT)
}

/** By time, those without one last; then by what they say, so that any order of arrival gives this one. */
function compareMarks(a: SubagentMark, b: SubagentMark): number {
  const byTime = (timeOf(a) ?? Infinity) - (timeOf(b) ?? Infinity)
  if (byTime < 0 || byTime > 0) return byTime
  const [x, y] = [markName(a), markName(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

/** What makes two marks the same word of the same source. */
export function markName(mark: SubagentMark): string {
  const { kind, at, seenAt, status, evidence, toolUseId, trigger, line } = mark
  return [kind, evidence, at ?? '', seenAt ?? '', status ?? '', trigger, toolUseId ?? '', line ?? ''].join(' ')
}

const known = (times: (number | null)[]): number[] => times.filter((time) => time !== null)
const least = (times: (number | null)[]): number | null =>
  known(times).reduce<number | null>((a, b) => (a === null ? b : Math.min(a, b)), null)
const greatest = (times: (number | null)[]): number | null =>
  known(times).reduce<number | null>((a, b) => (a === null ? b : Math.max(a, b)), null)
