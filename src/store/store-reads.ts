import type { FeedReads, StoreReads } from '../domain/store'
import { conversationReads } from './conversation'
import { dashboardReads } from './dashboard-reads'
import { diagnosticReads } from './diagnostics'
import { eventReads } from './events'
import { feedReads } from './feed'
import { idReads } from './id-reads'
import { inboxReads } from './inbox-reads'
import { issueReads } from './issue-reads/issue-reads'
import { journalReads } from './journals'
import { launchReads } from './launch-reads'
import { manifestReads } from './manifests'
import { messageReads } from './message-reads'
import { outputReads } from './outputs'
import { overviewReads } from './overview/overview-reads'
import type { ReadContext } from './read-context'
import { recallReads } from './recall-reads'
import { registryReads } from './registry/registry-reads'
import { runReads } from './runs'
import { sessionReads } from './sessions'
import { shellReads } from './shell-processes'
import { subagentReads } from './subagents'
import { taskReads } from './task-reads/task-reads'
import { linkReads, todoReads } from './todos'
import { toolUseReads } from './tool-uses'

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
    feed,
    journals: journalReads(context),
    diagnostics: diagnosticReads(context),
    tasks: taskReads(context),
    issues: issueReads(context),
    messages: messageReads(context),
    inbox: inboxReads(context),
    registry: registryReads(context),
    recall: recallReads(context),
    manifests: manifestReads(context),
    launches: launchReads(context),
    outputs: outputReads(context),
    overview: overviewReads(context),
    ...dashboardReads(context, feed),
  }
}
