import type { ShownSessionStatus } from '../../../../domain/session/session'
import { SHOWN_SESSION_STATUSES } from '../../../../domain/session/session'
import { TASK_STATUSES, type TaskStatus } from '../../../../domain/task/task'
import { countNeeds } from '../../../../engine/overview/overview'
import type { CollectorState } from '../../../../engine/services'
import { isNonce } from '../../../../util/token-proof'
import * as operations from '../../../contract/operations/server'
import { MAX_PAGE_LIMIT, NONCE_HEADER, PROOF_HEADER } from '../../../contract/protocol'
import { jsonAnswer } from '../../answers'
import type { Access } from '../../deps'
import { catchUp } from '../../find/find-session'
import { handle } from '../../handler'
import { needSettings } from '../../need-settings'
import { statusReader } from '../../present-session'

export const health = handle(operations.health, async ({ request, headers }, { version, startedAt, now, access }) =>
  jsonAnswer(
    { status: 'ok', version, uptimeMs: Math.max(0, now() - startedAt) },
    { ...headers, ...(await proofFor(request, access)) },
  ),
)

/** The guard has seen that the host is ours. */
async function proofFor({ headers }: Request, access: Access): Promise<Record<string, string>> {
  const nonce = headers.get(NONCE_HEADER)
  const host = headers.get('host')
  if (access.kind !== 'network' || nonce === null || host === null || !isNonce(nonce)) return {}
  return { [PROOF_HEADER]: await access.operatorToken.prove(nonce, host) }
}

export const status = handle(operations.status, async (_call, context) => {
  const { store, services, version, startedAt, now } = context
  await catchUp(null, context)
  const at = now()
  const [newest, byAgent, feedHead, storage, tasks, questions, agents, needs] = await Promise.all([
    store.sessions.list({}, { limit: MAX_PAGE_LIMIT }),
    store.sessions.countByAgent(),
    store.feed.head(),
    services.storageFacts(),
    store.tasks.countByStatus(),
    store.tasks.questions({ status: 'open' }, { limit: MAX_PAGE_LIMIT }),
    store.tasks.agents(),
    needSettings(context).then((settings) => countNeeds(store, at, settings)),
  ])
  const byStatus = Object.fromEntries(SHOWN_SESSION_STATUSES.map((name) => [name, 0])) as Record<
    ShownSessionStatus,
    number
  >
  for (const { status } of await (await statusReader(context))(newest.rows)) byStatus[status] += 1
  const total = Object.values(byAgent).reduce((sum, count) => sum + count, 0)
  const [first] = newest.rows
  return {
    version,
    uptimeMs: Math.max(0, at - startedAt),
    sessions: { total, byStatus, older: Math.max(0, total - newest.rows.length), byAgent },
    tasks: {
      byStatus: {
        ...(Object.fromEntries(TASK_STATUSES.map((name) => [name, 0])) as Record<TaskStatus, number>),
        ...tasks,
      },
      openQuestions: questions.rows.length,
      asking: new Set(questions.rows.map(({ taskId }) => taskId)).size,
    },
    agents: { total: agents.length, online: agents.filter((agent) => agent.status === 'online').length },
    needsYou: {
      questions: needs.question ?? 0,
      waiting: needs.waiting ?? 0,
      failures: needs.failure ?? 0,
      requests: needs.request ?? 0,
      stuck: needs.stuck ?? 0,
      lost: needs.lost ?? 0,
      untaken: needs.untaken ?? 0,
      unread: needs.unread ?? 0,
      messages: needs.message ?? 0,
    },
    newestActivity: first === undefined ? null : { sessionId: first.id, title: first.title, at: first.lastEventAt },
    feedHead,
    collector: services.collectorFacts(),
    storage,
  }
})

const MAX_MALFORMED = 100

export const doctor = handle(operations.doctor, async (_call, { store, services, version, runtime }) => {
  const [kinds, agentVersions, malformedLines, stored, facts] = await Promise.all([
    store.diagnostics.recordKinds(),
    store.diagnostics.agentVersions(),
    store.diagnostics.malformedLines(MAX_MALFORMED),
    store.diagnostics.storage(),
    services.storageFacts(),
  ])
  const collector = services.collectorFacts()
  return {
    version,
    runtime,
    storage: { ...stored, location: facts.location },
    agentVersions,
    knownKinds: kinds.filter((kind) => kind.isKnown).length,
    unknownKinds: kinds.filter((kind) => !kind.isKnown),
    malformedLines,
    collector,
    gaps: gapsOf(collector),
  }
})

function gapsOf(collector: CollectorState | null) {
  if (collector === null) return []
  const behind = { path: '', reason: `${collector.filesBehind} files have bytes that are not yet recorded` }
  return collector.filesBehind > 0 ? [...collector.problems, behind] : collector.problems
}
