/**
 * That a pull or merge request was merged: what outputs of tools say of it, and calls that merge one. A request is named by its address, by
 * its number in the session's repository (`#12`), or not at all.
 */

import { REQUEST_ADDRESS } from './product'

/** The newest request that the session made before. */
export const OWN_REQUEST = ''

/** Requests of one output that are kept. */
const MERGE_LIMIT = 20
/** JSON that is longer is not read. Characters. */
const JSON_LIMIT = 16_000

/** Ways in which an output says in one line that a request was merged. The group is its number. */
const LINES: readonly RegExp[] = [
  // `gh pr merge` in a terminal; `glab mr merge`.
  /^\W{0,3}(?:Merged|Squashed and merged|Rebased and merged) pull request (?:[\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,9})\b/,
  /^\W{0,3}(?:Pull request|Merge request) (?:[\w.-]{1,100}\/[\w.-]{1,100})?[#!](\d{1,9}) (?:was already|has been|is already) merged/i,
  // A merge as the hosts write it into the history, in `git log` with or without `--oneline`.
  /^(?:[0-9a-f]{7,40} (?:\([^)]{1,200}\) )?| {0,8})Merge pull request #(\d{1,9}) from \S/,
  /^ {0,8}See merge request [\w./-]{1,300}!(\d{1,9})$/,
  // A squashed one ends its subject with its number.
  /^[0-9a-f]{7,40} (?:\([^)]{1,200}\) )?\S.{0,300} \(#(\d{1,9})\)$/,
  // A row of `gh pr list` that no terminal reads.
  /^(\d{1,9})\t.{1,300}\tMERGED(?:\t|$)/,
]

/** What stands in each output that says so: most say nothing, and an import reads all. */
const SIGNS = ['erged', 'MERGED', 'erge request', 'erge pull request', '(#']

/** Requests that an output says are merged, each once. */
export function mergesIn(output: string): string[] {
  if (!SIGNS.some((sign) => output.includes(sign))) return []
  const found = new Set<string>()
  for (const line of output.split('\n')) {
    if (line.length > 700 || found.size >= MERGE_LIMIT) continue
    const number = LINES.map((pattern) => pattern.exec(line)?.[1]).find((one) => one !== undefined)
    if (number !== undefined) found.add(`#${Number(number)}`)
  }
  for (const request of [...viewed(output), ...listed(output)]) if (found.size < MERGE_LIMIT) found.add(request)
  return [...found]
}

/** `gh pr view` where no terminal reads it: fields, one in a line. */
function viewed(output: string): string[] {
  if (!/^state:\tMERGED$/m.test(output)) return []
  const url = /^url:\t(\S{1,600})$/m.exec(output)?.[1]
  return url !== undefined && REQUEST_ADDRESS.test(url) ? [url] : []
}

/** JSON of `gh`, `glab` and of the hosts' own tools: one request, or a list. */
function listed(output: string): string[] {
  const text = output.trim()
  if (!/^[[{]/.test(text) || text.length > JSON_LIMIT || !/merged/i.test(text)) return []
  try {
    const value: unknown = JSON.parse(text)
    return (Array.isArray(value) ? value : [value]).flatMap((one) => mergedName(one) ?? [])
  } catch {
    return []
  }
}

function mergedName(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const { state, merged, mergedAt, merged_at: since, ...names } = value as Readonly<Record<string, unknown>>
  const isMerged =
    (typeof state === 'string' && state.toLowerCase() === 'merged') ||
    merged === true ||
    [mergedAt, since].some((at) => typeof at === 'string' && at !== '')
  if (!isMerged) return null
  const { html_url, web_url, url, number, iid } = names
  const address = [html_url, web_url, url].find((one) => typeof one === 'string' && REQUEST_ADDRESS.test(one))
  if (typeof address === 'string') return address
  const own = [number, iid].find((one) => Number.isSafeInteger(one) && Number(one) > 0)
  return own === undefined ? null : `#${Number(own)}`
}

/** `gh pr merge …` and `glab mr merge …` where a command begins; the group is what follows. */
const COMMAND = /(?:^|[;&|(]) {0,20}(?:\w{1,50}=\S{0,200} ){0,5}(?:gh pr|glab mr) merge\b([^;&|\n]{0,500})/m
/** They only arm a merge, or take that back. */
const LATER = /(?:^|\s)--(?:auto|disable-auto|auto-merge|when-pipeline-succeeds)\b/
/** An option that has its value in the next word. */
const TAKES_VALUE = new Set([
  '-t',
  '--subject',
  '-b',
  '--body',
  '-F',
  '--body-file',
  '-R',
  '--repo',
  '-A',
  '--author-email',
  '-m',
  '--message',
])

/**
 * The request that a call merges if it goes well; `null` = the call merges none.
 *
 * @param text  the call's line: the tool's name, and what it was asked
 */
export function mergeAsked(text: string, toolName: string | null): string | null {
  if (toolName !== null && /(?:^|_)merge_(?:pull|merge)_request$/.test(toolName)) {
    const number = /"(?:pull_?[nN]umber|merge_request_iid|number)"\s*:\s*"?(\d{1,9})\b/.exec(text)?.[1]
    return number === undefined ? null : `#${Number(number)}`
  }
  const asked = text.includes(' merge') ? COMMAND.exec(text)?.[1] : undefined
  if (asked === undefined || LATER.test(asked)) return null
  const words = asked.trim().split(/\s+/)
  const target = words.find((word, at) => word !== '' && !word.startsWith('-') && !TAKES_VALUE.has(words[at - 1] ?? ''))
  if (target === undefined) return OWN_REQUEST
  const name = target.replace(/^(["'])(.*)\1$/, '$2')
  if (REQUEST_ADDRESS.test(name)) return name
  const number = /^[#!]?(\d{1,9})$/.exec(name)?.[1]
  // A branch: of the session's own ones the newest is the likeliest, but nothing says so.
  return number === undefined ? null : `#${Number(number)}`
}
