import type { Handlers } from '../handler'

/**
 * The handlers of a file, loaded with the first request for one of them: a command that answers itself makes one or two requests, and
 * all handlers together cost it several milliseconds.
 */
const late =
  <Module extends object>(load: () => Promise<Module>) =>
  <Name extends keyof Module>(name: Name): Module[Name] => {
    const handler = async (...args: unknown[]) =>
      await ((await load())[name] as (...args: unknown[]) => unknown)(...args)
    // The same function, a moment later.
    return handler as Module[Name]
  }

const agents = late(() => import('./agents'))
const attempts = late(() => import('./attempts'))
const conversation = late(() => import('./conversation'))
const conversations = late(() => import('./conversations'))
const epics = late(() => import('./epics'))
const events = late(() => import('./events'))
const exported = late(() => import('./export'))
const feed = late(() => import('./feed'))
const hooks = late(() => import('./hooks'))
const inbox = late(() => import('./inbox'))
const issueDetails = late(() => import('./issue-details'))
const issues = late(() => import('./issues'))
const mcp = late(() => import('./mcp'))
const messages = late(() => import('./messages'))
const plans = late(() => import('./plans'))
const questions = late(() => import('./questions'))
const recall = late(() => import('./recall'))
const recovery = late(() => import('./recovery'))
const registry = late(() => import('./registry'))
const service = late(() => import('./service'))
const sessionIssues = late(() => import('./session-issues'))
const sessionRecall = late(() => import('./session-recall'))
const sessions = late(() => import('./sessions'))
const subagents = late(() => import('./subagents'))
const taskLog = late(() => import('./task-log'))
const taskMoves = late(() => import('./task-moves'))
const tasks = late(() => import('./tasks'))
const todos = late(() => import('./todos'))
const toolUses = late(() => import('./tool-uses'))
const work = late(() => import('./work'))
const overview = late(() => import('./overview'))
const treeLevels = late(() => import('./tree-level'))
const costs = late(() => import('./costs'))
const fleet = late(() => import('./fleet'))
const sessionRows = late(() => import('./session-rows'))
const login = late(() => import('./login'))

/** Who answers what. */
export const HANDLERS: Handlers = {
  health: service('health'),
  status: service('status'),
  'sessions.list': sessions('listSessions'),
  'sessions.get': sessions('showSession'),
  'sessions.forget': sessions('forgetSession'),
  'sessions.tree': sessions('sessionTree'),
  'sessions.events': events('listSessionEvents'),
  'sessions.event': events('showEvent'),
  'sessions.journals': sessions('sessionJournals'),
  'sessions.export': exported('exportSession'),
  'sessions.conversation': conversation('showConversation'),
  'sessions.timeline': conversation('showTimeline'),
  'sessions.diff': conversation('showDiff'),
  'events.list': events('listEvents'),
  'subagents.list': subagents('listSubagents'),
  'subagents.get': subagents('showSubagent'),
  'toolUses.get': toolUses('showToolUse'),
  search: events('searchEvents'),
  'feed.follow': feed('followFeed'),
  'feed.page': feed('feedPage'),
  doctor: service('doctor'),
  import: work('importPaths'),
  rebuild: work('rebuild'),
  'hooks.claudeCode': hooks('claudeCodeHook'),
  // Loaded when asked for: it makes every schema of the contract.
  openapi: async (_call, { version }) => (await import('../openapi')).openApiDocument(version),
  'tasks.create': tasks('createTask'),
  'tasks.list': tasks('listTasks'),
  'tasks.claimNext': taskMoves('claimNext'),
  'tasks.costs': tasks('costsOfTasks'),
  'tasks.get': tasks('showTask'),
  'tasks.patch': tasks('patchTask'),
  'tasks.cancel': taskMoves('cancelTask'),
  'tasks.pause': taskMoves('pauseTask'),
  'tasks.resume': taskMoves('resumeTask'),
  'tasks.deploy': taskMoves('deployTask'),
  'tasks.retry': taskMoves('retryTask'),
  'tasks.offer': taskMoves('offerTask'),
  'tasks.accept': taskMoves('acceptTask'),
  'tasks.reject': taskMoves('rejectTask'),
  'tasks.release': taskMoves('releaseTask'),
  'tasks.progress': taskMoves('storeProgress'),
  'tasks.finish': taskMoves('finishTask'),
  'tasks.claim': taskMoves('claimTask'),
  'tasks.input': taskMoves('sayToTask'),
  'tasks.setConversation': taskMoves('setConversation'),
  'tasks.tree': tasks('taskTree'),
  'tasks.log': taskLog('taskLog'),
  'tasks.prompt': recall('taskPrompt'),
  'tasks.recall': recall('taskRecall'),
  'epics.create': epics('createEpic'),
  'epics.list': epics('listEpics'),
  'epics.get': epics('showEpic'),
  'epics.createTask': epics('createInEpic'),
  'questions.list': questions('listQuestions'),
  'questions.answer': questions('answerQuestion'),
  'agents.list': agents('listAgents'),
  'agents.join': agents('joinAgent'),
  'agents.get': agents('showAgent'),
  'agents.poll': agents('pollAgent'),
  'agents.describe': agents('describeAgent'),
  'tasks.await': plans('awaitTasks'),
  'plans.create': plans('createPlan'),
  'plans.get': plans('showPlan'),
  'attempts.report': attempts('reportAttempt'),
  'attempts.stream': attempts('appendStream'),
  'attempts.ask': attempts('askQuestion'),
  'sessions.snapshot': conversations('snapshotSession'),
  'files.append': conversations('appendFile'),
  recall: sessionRecall('recall'),
  'handoffs.create': sessionRecall('createHandoff'),
  'handoffs.list': sessionRecall('listHandoffs'),
  'mcp.send': mcp('mcp'),
  'mcp.listen': mcp('mcp'),
  'mcp.end': mcp('mcp'),
  'issues.create': issues('createIssue'),
  'issues.list': issues('listIssues'),
  'issues.ready': issues('readyIssues'),
  'issues.blocked': issues('blockedIssues'),
  'issues.stats': issueDetails('issueStats'),
  'issues.lint': issueDetails('lintIssues'),
  'issues.cycles': issueDetails('listCycles'),
  'issues.epics': issueDetails('listEpicProgress'),
  'issues.labels': issueDetails('listLabels'),
  'issues.trackers': issueDetails('listTrackers'),
  'issues.export': issueDetails('exportIssues'),
  'issues.import': issueDetails('importIssues'),
  'issues.sync': issueDetails('syncIssues'),
  'issues.statusList': issueDetails('listStatuses'),
  'issues.statuses': issueDetails('setStatuses'),
  'issues.claimNext': issues('claimNextIssue'),
  'issues.get': issueDetails('showIssue'),
  'issues.update': issues('updateIssue'),
  'issues.delete': issues('deleteIssue'),
  'issues.close': issues('closeIssue'),
  'issues.reopen': issues('reopenIssue'),
  'issues.claim': issues('claimIssue'),
  'issues.release': issues('releaseIssue'),
  'issues.dispatch': issues('dispatchIssue'),
  'issues.explain': issueDetails('explainIssue'),
  'issues.tree': issueDetails('issueTree'),
  'issues.history': issueDetails('issueHistory'),
  'issues.comments': issueDetails('listComments'),
  'issues.comment': issueDetails('commentIssue'),
  'issues.addDependency': issueDetails('addDependency'),
  'issues.removeDependency': issueDetails('removeDependency'),
  'todos.list': todos('listTodos'),
  'todos.lists': todos('listTodoLists'),
  'todos.history': todos('todoHistory'),
  'todos.promote': todos('promoteTodo'),
  'sessions.todoList': todos('sessionTodoList'),
  'sessions.syncTodos': todos('syncTodos'),
  'sessions.finalizeTodos': todos('finalizeTodos'),
  'sessions.takeTodos': todos('takeTodos'),
  'sessions.issues': sessionIssues('sessionIssues'),
  'sessions.linkIssue': sessionIssues('linkIssue'),
  'sessions.unlinkIssue': sessionIssues('unlinkIssue'),
  'sessions.unlinkIssues': sessionIssues('unlinkIssues'),
  'sessions.sawIssue': sessionIssues('sawIssue'),
  'issues.sessions': sessionIssues('issueSessions'),
  'sessions.recover': recovery('recoverSession'),
  recover: recovery('recoverProject'),
  'sessions.launchCheck': recovery('launchCheck'),
  'subagents.output': recovery('subagentOutput'),
  'subagents.stop': recovery('stopSubagent'),
  'subagents.read': recovery('readSubagent'),
  'inbox.receive': inbox('receiveInbox'),
  'inbox.fetchReplies': inbox('fetchInboxReplies'),
  'inbox.list': inbox('listInbox'),
  'inbox.sources': inbox('listSources'),
  'inbox.putSource': inbox('putSource'),
  'inbox.removeSource': inbox('removeSource'),
  'inbox.get': inbox('showInbox'),
  'inbox.delegate': inbox('delegateInbox'),
  'inbox.reply': inbox('replyInbox'),
  'inbox.close': inbox('closeInbox'),
  'messages.send': messages('sendMessage'),
  'messages.list': messages('listMessages'),
  'messages.get': messages('showMessage'),
  'messages.withdraw': messages('withdrawMessage'),
  'addresses.messages': messages('addressMessages'),
  'addresses.take': messages('takeAtAddress'),
  'addresses.acknowledge': messages('acknowledge'),
  'sessions.messages': messages('addressMessages'),
  'sessions.acknowledge': messages('acknowledge'),
  'sessions.register': registry('registerSession'),
  'sessions.put': registry('putSession'),
  'sessions.attach': registry('attachClient'),
  'sessions.detach': registry('detachClient'),
  'sessions.tasks': registry('sessionTasks'),
  'sessions.activeTask': registry('activeTask'),
  'sessions.resume': registry('resumeSession'),
  overview: overview('showOverview'),
  'needs.dismiss': overview('dismissNeed'),
  'tree.level': treeLevels('treeLevel'),
  costs: costs('sumCosts'),
  fleet: fleet('showFleet'),
  'sessions.rows': sessionRows('sessionRows'),
  'sessions.content': sessionRows('eventContent'),
  'login.code': login('makeCode'),
  login: login('logIn'),
  logout: login('logOut'),
  me: login('whoAmI'),
}
