import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../../../api/client'
import { MAX_PAGE_LIMIT } from '../../../api/contract/protocol'
import { AUDIT_ACT_NAMES, type AuditAct, type AuditLine } from '../../../domain/audit'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { parsePastMoment } from '../../print/moments'
import { json } from '../../print/print'
import { oneLine } from '../../print/text'
import { auditTable, auditText } from '../../views/audit-views'

/** Milliseconds between two looks for new lines. */
const NEW_LINES_MS = 1_000

export const command = defineCommand({
  summary: 'List the audit log: who did what that matters for security, newest first',
  details: [
    'Each line holds the hash of the line before it, so that a later change shows; `lode audit verify` checks them.',
    'With --all --json, prints the whole log with all hashes, for example to keep it elsewhere.',
  ].join('\n'),
  options: {
    act: {
      kind: 'text',
      value: 'ACT',
      choices: AUDIT_ACT_NAMES,
      help: `only lines of this act: ${AUDIT_ACT_NAMES.join(', ')}`,
    },
    who: { kind: 'text', value: 'WHO', help: 'only lines of this kind (operator, worker, ...) or name' },
    since: { kind: 'text', value: 'TIME', help: 'only lines since TIME: 7d (ago), 18:30, 2026-11-20' },
    follow: { kind: 'flag', short: 'f', help: 'then print new lines as they come, until Ctrl-C' },
    ...PAGING,
  },
  examples: [
    { line: 'lode audit list', does: 'the newest lines' },
    { line: 'lode audit list --act question.answer --since 7d', does: 'who answered questions in the last week' },
    { line: 'lode audit list --all --json', does: 'print JSON: {lines, nextCursor}' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const { io, globals } = context
    const filter = {
      act: options.act as AuditAct | undefined,
      who: options.who,
      since: options.since === undefined ? undefined : parsePastMoment('--since', options.since, io.now()),
    }
    const { rows: lines, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.audit.list({ ...filter, limit, cursor })
      return { rows: page.lines, nextCursor: page.nextCursor }
    })
    if (options.follow) {
      await follow(context, client, filter, lines.toReversed())
      return
    }
    context.answer({ lines, nextCursor }, () => auditTable(lines, io.columns))
    if (globals.isJson) return
    if (lines.length === 0) context.note('the log has no such lines.')
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})

/** Prints lines, then those that come, oldest first; with `--json` one document a line. */
async function follow(
  { io, globals, signal }: Context,
  client: Client,
  filter: { act: AuditAct | undefined; who: string | undefined; since: string | undefined },
  first: readonly AuditLine[],
): Promise<void> {
  let after = 0
  for (let lines = first; !signal.aborted; ) {
    for (const line of lines) io.out(globals.isJson ? json(line, false) : auditText(line))
    after = lines.at(-1)?.number ?? after
    await wait(NEW_LINES_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const { rows } = await listRows({ all: true, limit: MAX_PAGE_LIMIT, cursor: undefined }, async (page) => {
      const { lines, nextCursor } = await client.audit.list({ ...filter, after, ...page })
      return { rows: lines, nextCursor }
    })
    lines = rows.toReversed()
  }
}
