import { projectKey } from '../../domain/ids'
import type { RecordTx, SessionRow } from '../../domain/record/record-store'
import type { BulkProgram, Driver, Program } from '../sql/program'
import { insertEvents, nodeOfEvent } from './events'
import { linkForks } from './forks'
import { appendFeed, clearProjections, countKinds, host, project } from './housekeeping'
import { addMalformed, appendChunk, closeIncarnation, journal, moveParsed, openIncarnation } from './journals'
import { addMentions } from './mentions'
import { addMessageLines, settleMessageLines } from './message-lines'
import { addMerges, addProducts } from './products'
import { settleReads } from './reads'
import { mergeSession, session, setSessionProject, taskThatBegan } from './sessions'
import { mergeSubagents, subagent, subagentByToolUse } from './subagents'
import { putListFiles, setNativeList } from './todos/shared-lists'
import { applyTodoChanges } from './todos/todos'
import { mergeToolUses } from './tool-uses'
import { attemptsOf, mergeUsage, recountCosts } from './usage'
import { foldHours } from './usage-hours'

/** What a database adds of its own to the shared programs. */
export interface RecordDialect {
  indexText: RecordTx['indexText']
  /** Statement that empties the full-text index. */
  clearText: string
  /** A text field of a column that holds JSON. */
  jsonText(column: string, key: string): string
}

/** The recording port over one connection. `now` is asked once per call: a unit's clock stands still. */
export function createRecordTx(driver: Driver, dialect: RecordDialect, now: () => number): RecordTx {
  const tasksOf = attemptsOf(dialect.jsonText)
  const begunBy = taskThatBegan(dialect.jsonText)
  const drive = <T>(program: BulkProgram<T>) => driver.drive(program)
  return {
    host: (name, hostname) => drive(host(now(), name, hostname)),
    project: (hostKey, root, remote, name) => drive(project(now(), hostKey, root, remote, name)),
    journal: (hostKey, ref, sessionKey) => drive(journal(now(), hostKey, ref, sessionKey)),
    openIncarnation: (key, state, restoredFrom) => drive(openIncarnation(now(), key, state, restoredFrom)),
    closeIncarnation: (key, reason) => drive(closeIncarnation(now(), key, reason)),
    appendChunk: (key, expected, chunk, next) => drive(appendChunk(now(), key, expected, chunk, next)),
    moveParsed: (key, to) => drive(moveParsed(key, to)),
    addMalformed: (key, lines) => drive(addMalformed(key, lines)),
    session: (agent, nativeId, hostKey) => drive(session(now(), driver.lock, agent, nativeId, hostKey)),
    setSessionProject: (key, project) => drive(setSessionProject(key, projectKey(project))),
    subagent: (sessionKey, nativeId, kind) => drive(subagent(sessionKey, nativeId, kind)),
    subagentByToolUse: (sessionKey, toolUseId) => drive(subagentByToolUse(sessionKey, toolUseId)),
    nodeOfEvent: (sessionKey, uuid) => drive(nodeOfEvent(sessionKey, uuid)),
    insertEvents: (rows) => drive(insertEvents(rows)),
    indexText: dialect.indexText,
    mergeToolUses: (rows) => drive(mergeToolUses(rows)),
    mergeUsage: (rows) => drive(mergeUsage(tasksOf, rows)),
    foldUsage: () => drive(foldHours()),
    recountCosts: (prices, after) => drive(recountCosts(prices, after)),
    settleReads: (sessionKey) => drive(settleReads(sessionKey)),
    addMessageLines: (rows) => drive(addMessageLines(rows)),
    settleMessageLines: (sessionKey) => drive(settleMessageLines(sessionKey)),
    mergeSubagents: (rows) => drive(mergeSubagents(rows)),
    mergeSession: (rows) => drive(mergeSessions(begunBy, rows)),
    applyTodoChanges: (rows, options) => drive(applyTodoChanges(driver.lock, rows, options)),
    setNativeList: (sessionKey, list, options) => drive(setNativeList(driver.lock, sessionKey, list, options)),
    putListFiles: (host, files, options) => drive(putListFiles(driver.lock, host, files, options)),
    addMentions: (rows) => drive(addMentions(rows)),
    addProducts: (rows) => drive(addProducts(rows)),
    addMerges: (rows) => drive(addMerges(rows)),
    linkForks: (sessionKey) => drive(linkForks(driver.lock, sessionKey)),
    countKinds: (rows) => drive(countKinds(now(), driver.lock, rows)),
    appendFeed: (rows) => drive(appendFeed(now(), rows)),
    clearProjections: () => drive(clearProjections(dialect.clearText)),
  }
}

function* mergeSessions(begunBy: string, rows: SessionRow[]): Program<void> {
  for (const row of rows) yield* mergeSession(begunBy, row)
}
