import type { FeedReads } from '../domain/feed'
import type { StoreReads } from '../domain/store'
import { auditReads } from './audit/reads'
import { budgetReads } from './budgets/reads'
import { conversationReads } from './conversation/conversation'
import { eventReads } from './conversation/events'
import { journalReads } from './conversation/journals'
import { outputReads } from './conversation/outputs'
import { toolUseReads } from './conversation/tool-uses'
import { dashboardReads } from './dashboard-reads'
import { diagnosticReads } from './diagnostics'
import { feedReads } from './feed'
import { idReads } from './id-reads'
import { inboxReads } from './inbox/reads'
import { issueReads } from './issues/reads/issue-reads'
import { messageReads } from './messages/reads'
import { notifyReads } from './notify/reads'
import { overviewReads } from './overview/overview-reads'
import { packReads } from './packs/pack-reads'
import { handoffReads } from './recall/handoffs'
import { launchReads } from './recall/launch-reads'
import { manifestReads } from './recall/manifests'
import { notifiedReads } from './recall/notified'
import { recallReads } from './recall/recall-reads'
import { registryReads } from './registry/reads'
import { secretReads } from './secrets/reads'
import { retentionReads } from './session/reads/old-sessions'
import { runReads } from './session/reads/runs'
import { sessionReads } from './session/reads/sessions'
import { shellReads } from './session/reads/shell-processes'
import { subagentReads } from './session/reads/subagents'
import type { ReadContext } from './sql/read-context'
import { taskReads } from './tasks/reads/task-reads'
import { workCopyReads } from './tasks/work-copies'
import { linkReads, todoReads } from './todos/reads'
import { tokenReads } from './tokens/reads'
import { userReads } from './users/reads'
import { viewReads } from './views/views'

/** All that a store reads, on either database. `onChange` is the database's own way of waking the feed's readers. */
export function storeReads(context: ReadContext, onChange: FeedReads['onChange']): StoreReads {
  const sessions = sessionReads(context)
  const feed = feedReads(context, onChange)
  return {
    ids: idReads(context),
    sessions,
    events: eventReads(context),
    conversations: conversationReads(context),
    subagents: subagentReads(context, sessions),
    runs: runReads(context, sessions),
    shells: shellReads(context),
    toolUses: toolUseReads(context),
    todos: todoReads(context),
    links: linkReads(context),
    retention: retentionReads(context),
    feed,
    journals: journalReads(context),
    diagnostics: diagnosticReads(context),
    tasks: taskReads(context),
    issues: issueReads(context),
    messages: messageReads(context),
    inbox: inboxReads(context),
    registry: registryReads(context),
    tokens: tokenReads(context),
    users: userReads(context),
    recall: recallReads(context),
    manifests: manifestReads(context),
    launches: launchReads(context),
    outputs: outputReads(context),
    overview: overviewReads(context),
    audit: auditReads(context),
    secrets: secretReads(context),
    notify: notifyReads(context),
    budgets: budgetReads(context),
    workCopies: workCopyReads(context),
    views: viewReads(context),
    packs: packReads(context),
    handoffs: handoffReads(context),
    notified: notifiedReads(context),
    ...dashboardReads(context, feed),
  }
}
