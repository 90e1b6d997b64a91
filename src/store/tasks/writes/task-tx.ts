import { NO_LIMITS } from '../../../domain/task/placement/placement'
import type { TaskTx } from '../../../domain/task/task-store'
import type { TaskDialect } from '../../sql/dialect'
import type { Driver, Program } from '../../sql/program'
import { runsIn, setAgentDirs } from '../agent-dirs'
import { kinship } from '../kinship'
import { openOfIssue } from '../served-issues'
import { shown } from '../shown'
import {
  agent,
  agentByKey,
  agentByName,
  agentsOfAccount,
  agentsOfHost,
  goneAgents,
  insertAgent,
  updateAgent,
  workersHeard,
} from './agents'
import { forgetAnswers, recallAnswer, rememberAnswer } from './answers'
import {
  attempt,
  expired,
  extendAllLeases,
  insertAttempt,
  leaseClock,
  liveAttempt,
  liveAttempts,
  newestAttempt,
  renewLeases,
  updateAttempt,
} from './attempts'
import { claimable, isAskedFor, running } from './claim'
import {
  addDependencies,
  dependencies,
  dependents,
  dependsOn,
  lockDependencies,
  removeDependencies,
  waitingChildren,
} from './dependencies'
import { insertIssue, issue, issueFiles } from './issues'
import { appendLog } from './log'
import { addRejection, expiredOffers, isRejected, offer, putOffer, removeOffer, removeRejection } from './offers'
import { countOpenBelow, countOpenFor, insertPlan, lockTree, openWithText, plan, planTasks, spawners } from './plans'
import { answersFor, insertQuestion, openQuestions, question, updateQuestion } from './questions'
import { ReadAgents } from './read-agents'
import { ReadTasks } from './read-tasks'
import {
  affine,
  agentOfSession,
  due,
  insertTask,
  pausedByShutdown,
  task,
  taskByKey,
  taskOfAttempt,
  updateTask,
} from './tasks'

/**
 * The tasks' port over one connection. `now` is asked once per call: a unit's clock stands still.
 *
 * @param read  cleared whenever a unit begins, and so are `agents`
 */
export function createTaskTx(
  driver: Driver,
  db: TaskDialect,
  now: () => number,
  read = new ReadTasks(),
  agents = new ReadAgents(),
): TaskTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    insertTask: (row) => drive(insertTask(read, now(), row)),
    task: (id) => drive(task(db, read, id)),
    taskOfAttempt: (id) => drive(taskOfAttempt(db, read, id)),
    taskByKey: (key) => drive(taskByKey(db, read, key)),
    updateTask: (key, patch) => drive(updateTask(read, now(), key, patch)),
    shown: (key) => drive(shown(db, read, key)),
    lockDependencies: () => drive(lockDependencies(db)),
    addDependencies: (key, on) => drive(addDependencies(key, on)),
    removeDependencies: (key, on) => drive(removeDependencies(key, on)),
    dependencies: (key) => drive(dependencies(key)),
    dependents: (key) => drive(dependents(db, key)),
    dependsOn: (from, to) => drive(dependsOn(from, to)),
    waitingChildren: (parent) => drive(waitingChildren(db, parent)),
    running: () => drive(running()),
    agentsOfAccount: (account) => drive(agentsOfAccount(account)),
    claimable: (row, at, isAssignedOnly, limits) =>
      drive(claimable(db, read, row, at, isAssignedOnly === true, limits ?? NO_LIMITS)),
    isAskedFor: (row, at, isAssignedOnly) => drive(isAskedFor(row, at, isAssignedOnly)),
    due: (at, limit) => drive(due(db, at, limit)),
    pausedByShutdown: (key) => drive(pausedByShutdown(db, key)),
    affine: (key) => drive(affine(db, key)),
    openOfIssue: (tracker, id) => drive(openOfIssue(db, tracker, id)),
    insertPlan: (row) => drive(insertPlan(row)),
    plan: (id) => drive(plan(id)),
    planTasks: (id) => drive(planTasks(id)),
    ...kinship(db, drive),
    spawners: (id, limit) => drive(spawners(id, limit)),
    countOpenFor: (at) => drive(countOpenFor(at)),
    countOpenBelow: (id) => drive(countOpenBelow(id)),
    openWithText: (at, text) => drive(openWithText(at, text)),
    lockTree: (root) => drive(lockTree(db, root)),
    goneAgents: (seenBefore) => drive(goneAgents(seenBefore)),
    agentOfSession: (id) => drive(agentOfSession(id)),
    insertAgent: (row) => drive(insertAgent(now(), row)),
    agent: (id) => drive(agent(agents, id)),
    agentByKey: (key) => drive(agentByKey(agents, key)),
    agentByName: (name) => drive(agentByName(agents, name)),
    workersHeard: (seenSince) => drive(workersHeard(seenSince)),
    agentsOfHost: (hostName) => drive(agentsOfHost(hostName)),
    updateAgent: (key, patch) => drive(updateAgent(agents, key, patch)),
    setAgentDirs: (key, dirs) => drive(setAgentDirs(key, dirs)),
    runsIn: (key, dir) => drive(runsIn(key, dir)),
    liveAttempts: (key) => drive(liveAttempts(db, key)),
    insertAttempt: (row) => drive(insertAttempt(now(), row)),
    attempt: (id) => drive(attempt(db, id)),
    liveAttempt: (key) => drive(liveAttempt(db, read, key)),
    newestAttempt: (key) => drive(newestAttempt(key)),
    updateAttempt: (key, patch) => drive(updateAttempt(key, patch)),
    renewLeases: (keys, at) => drive(renewLeases(db, keys, at)),
    expired: (at, limit) => drive(expired(db, at, limit)),
    extendAllLeases: (at) => drive(extendAllLeases(db, at)),
    leaseClock: (at, coarseMs) => drive(leaseClock(driver.lock !== '', at, coarseMs)),
    putOffer: (row) => drive(putOffer(row)),
    offer: (key) => drive(offer(key)),
    removeOffer: (key) => drive(removeOffer(key)),
    expiredOffers: (at) => drive(expiredOffers(db, at)),
    addRejection: (key, by, reason) => drive(addRejection(now(), key, by, reason)),
    removeRejection: (key, by) => drive(removeRejection(key, by)),
    isRejected: (key, by) => drive(isRejected(key, by)),
    insertQuestion: (row) => drive(insertQuestion(row)),
    question: (id) => drive(question(db, id)),
    updateQuestion: (id, patch) => drive(updateQuestion(id, patch)),
    openQuestions: (filter) => drive(openQuestions(db, filter)),
    answersFor: (attempts) => drive(answersFor(db, attempts)),
    appendLog: (key, lines) => drive(appendLog(db, read, key, lines)),
    insertIssue: (row) => drive(insertIssue(db, row)),
    issue: (id, type) => drive(issue(id, type)),
    issueFiles: (id) => drive(issueFiles(id)),
    recallAnswer: (scope, key) => drive(recallAnswer(db, scope, key)),
    rememberAnswer: (scope, key, hash, answer) => drive(rememberAnswer(now(), scope, key, hash, answer)),
    forgetAnswers: (before, limit) => drive(forgetAnswers(db, before, limit)),
  }
}
