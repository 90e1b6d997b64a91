import { statedCostsMigration } from './costs/0045-stated-costs'
import { budgetsMigration } from './costs/0065-budgets'
import { dropMayRunMigration, notDoneMigration, usageSumsMigration, usageTimesMigration } from './costs/0200-usage-sums'
import { usageSharesMigration } from './costs/0330-usage-shares'
import { feedNumberingMigration } from './database/0035-feed-numbering'
import { compatibleMigration } from './database/0055-compatible'
import { serversMigration } from './database/0056-servers'
import { epochMigration } from './database/0164-epoch'
import { issuesMigration } from './issues/0003-issues'
import { todosMigration } from './issues/0004-todos'
import { agentDirsMigration } from './machines/0024-agent-dirs'
import { machinesMigration } from './machines/0170-machines'
import { accountsMigration } from './machines/0172-accounts'
import { workerRestartsMigration } from './machines/0194-worker-restarts'
import { messagesMigration } from './messages/0007-messages'
import { autoDelegateMigration } from './messages/0020-auto-delegate'
import { handoffsMigration } from './messages/0280-handoffs'
import { toldChangesMigration } from './messages/0360-told-changes'
import { messageOffersMigration } from './messages/0380-message-offers'
import type { Migration } from './migration'
import { dashboardMigration } from './people/0008-dashboard'
import { tokensMigration } from './people/0017-tokens'
import { auditMigration } from './people/0019-audit'
import { usersMigration } from './people/0021-users'
import { operatorsMigration } from './people/0033-operators'
import { notifyMigration } from './people/0037-notify'
import { pushKeysMigration } from './people/0066-push-keys'
import { snoozedNeedsMigration } from './people/0075-snoozed-needs'
import { sharedSessionsMigration } from './people/0180-shared-sessions'
import { savedViewsMigration } from './people/0197-saved-views'
import { sharedComparisonsMigration } from './people/0211-shared-comparisons'
import { viewProjectsMigration } from './people/0265-view-projects'
import { recordMigration } from './record/0001-record'
import { runsMigration } from './record/0005-runs'
import { readingMigration } from './record/0006-reading'
import { processHostMigration } from './record/0010-process-host'
import { outlivingMigration } from './record/0013-outliving'
import { seenLiveMigration } from './record/0015-seen-live'
import { reportedTokensMigration } from './record/0016-reported-tokens'
import { secretsMigration } from './record/0022-secrets'
import { carryMigration } from './record/0025-carry'
import { translationMigration } from './record/0031-translation'
import { searchMigration } from './record/0095-search'
import { sessionSumsMigration } from './record/0120-session-sums'
import { packsMigration } from './record/0150-packs'
import { failedCallsMigration } from './record/0260-failed-calls'
import { dropWholeTextMigration, textPartsMigration } from './record/0290-text-parts'
import { dropSessionsOfProjectMigration, sessionsInProjectsMigration } from './record/0337-sessions-in-projects'
import { requestMergesMigration } from './record/0390-request-merges'
import { tasksMigration } from './tasks/0002-tasks'
import { rightsMigration } from './tasks/0011-rights'
import { inputsMigration } from './tasks/0012-inputs'
import { agentClisMigration } from './tasks/0032-agent-clis'
import { taskUnitsMigration } from './tasks/0050-task-units'
import { leanTasksMigration } from './tasks/0051-lean-tasks'
import { workCopiesMigration } from './tasks/0130-work-copies'
import {
  dropProjectIndexMigration,
  placeOldWorkMigration,
  workIndexesMigration,
  workPlacesMigration,
} from './tasks/0160-work-places'
import { sharesMigration } from './tasks/0171-shares'
import { forkedTasksMigration } from './tasks/0196-forked-tasks'
import { leanLinksMigration } from './tasks/0250-lean-links'
import { quickUnitsMigration } from './tasks/0270-quick-units'
import { leanIndexesMigration } from './tasks/0271-lean-indexes'
import { dropFinishedMigration, endedTasksMigration } from './tasks/0331-ended-tasks'
import {
  dropWorkRootsMigration,
  fillWorkAgentsMigration,
  workAgentIndexesMigration,
  workAgentsMigration,
} from './tasks/0333-work-agents'
import { provenUnitsMigration } from './tasks/0340-proven-units'

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
  failedCallsMigration,
  viewProjectsMigration,
  quickUnitsMigration,
  leanIndexesMigration,
  handoffsMigration,
  textPartsMigration,
  dropWholeTextMigration,
  usageSharesMigration,
  endedTasksMigration,
  dropFinishedMigration,
  workAgentsMigration,
  fillWorkAgentsMigration,
  workAgentIndexesMigration,
  dropWorkRootsMigration,
  sessionsInProjectsMigration,
  dropSessionsOfProjectMigration,
  provenUnitsMigration,
  toldChangesMigration,
  messageOffersMigration,
  requestMergesMigration,
]
