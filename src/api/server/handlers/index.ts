import type { Handlers } from '../handler'
import { describeAgent, joinAgent, listAgents, pollAgent, showAgent } from './agents'
import { appendStream, askQuestion, reportAttempt } from './attempts'
import { showConversation, showDiff, showTimeline } from './conversation'
import { appendFile, snapshotSession } from './conversations'
import { createEpic, createInEpic, listEpics, showEpic } from './epics'
import { listEvents, listSessionEvents, searchEvents, showEvent } from './events'
import { exportSession } from './export'
import { feedPage, followFeed } from './feed'
import { claudeCodeHook } from './hooks'
import * as inbox from './inbox'
import * as issueDetails from './issue-details'
import * as issues from './issues'
import { mcp } from './mcp'
import * as messages from './messages'
import { awaitTasks, createPlan, showPlan } from './plans'
import { answerQuestion, listQuestions } from './questions'
import { taskPrompt, taskRecall } from './recall'
import * as recovery from './recovery'
import * as registry from './registry'
import { doctor, health, status } from './service'
import * as links from './session-issues'
import { createHandoff, listHandoffs, recall } from './session-recall'
import { forgetSession, listSessions, sessionJournals, sessionTree, showSession } from './sessions'
import { listSubagents, showSubagent } from './subagents'
import { taskLog } from './task-log'
import * as moves from './task-moves'
import { createTask, listTasks, patchTask, showTask, taskTree } from './tasks'
import * as todos from './todos'
import { showToolUse } from './tool-uses'
import { importPaths, rebuild } from './work'

/** Who answers what. */
export const HANDLERS: Handlers = {
  health,
  status,
  'sessions.list': listSessions,
  'sessions.get': showSession,
  'sessions.forget': forgetSession,
  'sessions.tree': sessionTree,
  'sessions.events': listSessionEvents,
  'sessions.event': showEvent,
  'sessions.journals': sessionJournals,
  'sessions.export': exportSession,
  'sessions.conversation': showConversation,
  'sessions.timeline': showTimeline,
  'sessions.diff': showDiff,
  'events.list': listEvents,
  'subagents.list': listSubagents,
  'subagents.get': showSubagent,
  'toolUses.get': showToolUse,
  search: searchEvents,
  'feed.follow': followFeed,
  'feed.page': feedPage,
  doctor,
  import: importPaths,
  rebuild,
  'hooks.claudeCode': claudeCodeHook,
  // Loaded when asked for: it makes every schema of the contract.
  openapi: async (_call, { version }) => (await import('../openapi')).openApiDocument(version),
  'tasks.create': createTask,
  'tasks.list': listTasks,
  'tasks.claimNext': moves.claimNext,
  'tasks.get': showTask,
  'tasks.patch': patchTask,
  'tasks.cancel': moves.cancelTask,
  'tasks.pause': moves.pauseTask,
  'tasks.resume': moves.resumeTask,
  'tasks.retry': moves.retryTask,
  'tasks.offer': moves.offerTask,
  'tasks.accept': moves.acceptTask,
  'tasks.reject': moves.rejectTask,
  'tasks.release': moves.releaseTask,
  'tasks.progress': moves.storeProgress,
  'tasks.finish': moves.finishTask,
  'tasks.claim': moves.claimTask,
  'tasks.input': moves.sayToTask,
  'tasks.setConversation': moves.setConversation,
  'tasks.tree': taskTree,
  'tasks.log': taskLog,
  'tasks.prompt': taskPrompt,
  'tasks.recall': taskRecall,
  'epics.create': createEpic,
  'epics.list': listEpics,
  'epics.get': showEpic,
  'epics.createTask': createInEpic,
  'questions.list': listQuestions,
  'questions.answer': answerQuestion,
  'agents.list': listAgents,
  'agents.join': joinAgent,
  'agents.get': showAgent,
  'agents.poll': pollAgent,
  'agents.describe': describeAgent,
  'tasks.await': awaitTasks,
  'plans.create': createPlan,
  'plans.get': showPlan,
  'attempts.report': reportAttempt,
  'attempts.stream': appendStream,
  'attempts.ask': askQuestion,
  'sessions.snapshot': snapshotSession,
  'files.append': appendFile,
  recall,
  'handoffs.create': createHandoff,
  'handoffs.list': listHandoffs,
  'mcp.send': mcp,
  'mcp.listen': mcp,
  'mcp.end': mcp,
  'issues.create': issues.createIssue,
  'issues.list': issues.listIssues,
  'issues.ready': issues.readyIssues,
  'issues.blocked': issues.blockedIssues,
  'issues.stats': issueDetails.issueStats,
  'issues.lint': issueDetails.lintIssues,
  'issues.cycles': issueDetails.listCycles,
  'issues.epics': issueDetails.listEpicProgress,
  'issues.labels': issueDetails.listLabels,
  'issues.export': issueDetails.exportIssues,
  'issues.import': issueDetails.importIssues,
  'issues.sync': issueDetails.syncIssues,
  'issues.statusList': issueDetails.listStatuses,
  'issues.statuses': issueDetails.setStatuses,
  'issues.claimNext': issues.claimNextIssue,
  'issues.get': issueDetails.showIssue,
  'issues.update': issues.updateIssue,
  'issues.delete': issues.deleteIssue,
  'issues.close': issues.closeIssue,
  'issues.reopen': issues.reopenIssue,
  'issues.claim': issues.claimIssue,
  'issues.release': issues.releaseIssue,
  'issues.dispatch': issues.dispatchIssue,
  'issues.explain': issueDetails.explainIssue,
  'issues.tree': issueDetails.issueTree,
  'issues.history': issueDetails.issueHistory,
  'issues.comments': issueDetails.listComments,
  'issues.comment': issueDetails.commentIssue,
  'issues.addDependency': issueDetails.addDependency,
  'issues.removeDependency': issueDetails.removeDependency,
  'todos.list': todos.listTodos,
  'todos.lists': todos.listTodoLists,
  'todos.history': todos.todoHistory,
  'todos.promote': todos.promoteTodo,
  'sessions.todoList': todos.sessionTodoList,
  'sessions.syncTodos': todos.syncTodos,
  'sessions.finalizeTodos': todos.finalizeTodos,
  'sessions.takeTodos': todos.takeTodos,
  'sessions.issues': links.sessionIssues,
  'sessions.linkIssue': links.linkIssue,
  'sessions.unlinkIssue': links.unlinkIssue,
  'sessions.unlinkIssues': links.unlinkIssues,
  'sessions.sawIssue': links.sawIssue,
  'issues.sessions': links.issueSessions,
  'sessions.recover': recovery.recoverSession,
  recover: recovery.recoverProject,
  'sessions.launchCheck': recovery.launchCheck,
  'subagents.output': recovery.subagentOutput,
  'subagents.stop': recovery.stopSubagent,
  'subagents.read': recovery.readSubagent,
  'inbox.receive': inbox.receiveInbox,
  'inbox.fetchReplies': inbox.fetchInboxReplies,
  'inbox.list': inbox.listInbox,
  'inbox.sources': inbox.listSources,
  'inbox.putSource': inbox.putSource,
  'inbox.removeSource': inbox.removeSource,
  'inbox.get': inbox.showInbox,
  'inbox.delegate': inbox.delegateInbox,
  'inbox.reply': inbox.replyInbox,
  'inbox.close': inbox.closeInbox,
  'messages.send': messages.sendMessage,
  'messages.list': messages.listMessages,
  'messages.get': messages.showMessage,
  'messages.withdraw': messages.withdrawMessage,
  'addresses.messages': messages.addressMessages,
  'addresses.take': messages.takeAtAddress,
  'addresses.acknowledge': messages.acknowledge,
  'sessions.messages': messages.addressMessages,
  'sessions.acknowledge': messages.acknowledge,
  'sessions.register': registry.registerSession,
  'sessions.put': registry.putSession,
  'sessions.attach': registry.attachClient,
  'sessions.detach': registry.detachClient,
  'sessions.tasks': registry.sessionTasks,
  'sessions.activeTask': registry.activeTask,
  'sessions.resume': registry.resumeSession,
}
