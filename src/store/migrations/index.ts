import { recordMigration } from './0001-record'
import { tasksMigration } from './0002-tasks'
import { issuesMigration } from './0003-issues'
import { todosMigration } from './0004-todos'
import { runsMigration } from './0005-runs'
import { readingMigration } from './0006-reading'
import { messagesMigration } from './0007-messages'
import { dashboardMigration } from './0008-dashboard'
import { processHostMigration } from './0010-process-host'
import { rightsMigration } from './0011-rights'
import { inputsMigration } from './0012-inputs'
import { outlivingMigration } from './0013-outliving'
import { seenLiveMigration } from './0015-seen-live'
import { reportedTokensMigration } from './0016-reported-tokens'
import { tokensMigration } from './0017-tokens'
import { auditMigration } from './0019-audit'
import { autoDelegateMigration } from './0020-auto-delegate'
import { usersMigration } from './0021-users'
import { secretsMigration } from './0022-secrets'
import { agentDirsMigration } from './0024-agent-dirs'
import { carryMigration } from './0025-carry'
import { translationMigration } from './0031-translation'
import { agentClisMigration } from './0032-agent-clis'
import { operatorsMigration } from './0033-operators'
import { feedNumberingMigration } from './0035-feed-numbering'
import { notifyMigration } from './0037-notify'
import { statedCostsMigration } from './0045-stated-costs'
import { taskUnitsMigration } from './0050-task-units'
import { leanTasksMigration } from './0051-lean-tasks'
import { compatibleMigration } from './0055-compatible'
import { serversMigration } from './0056-servers'
import { budgetsMigration } from './0065-budgets'
import { pushKeysMigration } from './0066-push-keys'
import { snoozedNeedsMigration } from './0075-snoozed-needs'
import { searchMigration } from './0095-search'
import { sessionSumsMigration } from './0120-session-sums'
import { workCopiesMigration } from './0130-work-copies'
import { packsMigration } from './0150-packs'
import {
  dropProjectIndexMigration,
  placeOldWorkMigration,
  workIndexesMigration,
  workPlacesMigration,
} from './0160-work-places'
import { epochMigration } from './0164-epoch'
import { machinesMigration } from './0170-machines'
import { sharesMigration } from './0171-shares'
import { accountsMigration } from './0172-accounts'
import { sharedSessionsMigration } from './0180-shared-sessions'
import { workerRestartsMigration } from './0194-worker-restarts'
import { forkedTasksMigration } from './0196-forked-tasks'
import { savedViewsMigration } from './0197-saved-views'
import { dropMayRunMigration, notDoneMigration, usageSumsMigration, usageTimesMigration } from './0200-usage-sums'
import { sharedComparisonsMigration } from './0211-shared-comparisons'
import { leanLinksMigration } from './0250-lean-links'
import { viewProjectsMigration } from './0265-view-projects'
import type { Migration } from './migration'

/** All migrations, by number. */
export const MIGRATIONS: readonly Migration[] = [
  recordMigration,
  tasksMigration,
  issuesMigration,
  todosMigration,
  runsMigration,
  readingMigration,
  messagesMigration,
  dashboardMigration,
  processHostMigration,
  rightsMigration,
  inputsMigration,
  outlivingMigration,
  seenLiveMigration,
  reportedTokensMigration,
  tokensMigration,
  auditMigration,
  autoDelegateMigration,
  usersMigration,
  secretsMigration,
  agentDirsMigration,
  carryMigration,
  translationMigration,
  agentClisMigration,
  operatorsMigration,
  feedNumberingMigration,
  notifyMigration,
  statedCostsMigration,
  taskUnitsMigration,
  leanTasksMigration,
  compatibleMigration,
  serversMigration,
  budgetsMigration,
  pushKeysMigration,
  snoozedNeedsMigration,
  searchMigration,
  sessionSumsMigration,
  workCopiesMigration,
  packsMigration,
  workPlacesMigration,
  placeOldWorkMigration,
  workIndexesMigration,
  dropProjectIndexMigration,
  epochMigration,
  machinesMigration,
  sharesMigration,
  accountsMigration,
  sharedSessionsMigration,
  workerRestartsMigration,
  forkedTasksMigration,
  savedViewsMigration,
  usageSumsMigration,
  usageTimesMigration,
  notDoneMigration,
  dropMayRunMigration,
  sharedComparisonsMigration,
  leanLinksMigration,
  viewProjectsMigration,
]

/** The schema that this binary works with: the newest migration's number. */
export const SCHEMA_VERSION: number = MIGRATIONS.at(-1)?.number ?? 0
