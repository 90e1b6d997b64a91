import { ISSUE_PRIORITIES, priorityName } from '#domain/issue/issue-priority'
import { statusWord } from '../../components/ui/status'
import type { KeyBinding } from '../../lib/keys/keys'
import { visibleText } from '../../lib/visible-text'
import { PRIORITY_WORDS } from './marks'
import { putIssues } from './put-issues'
import type { IssueGroup } from './use-issue-dialogs'

interface VerbsInput {
  project: string | undefined
  /** Names of the tracker's statuses, as their menu has them. */
  statuses: readonly string[]
  /** The reader's name. */
  me: string | undefined
  /** The issues that are changed; `null` = none is selected or current. */
  targets(): IssueGroup | null
}

/** What the menus of priority, status and assignee do, each as a command: `priority 1`, `status closed`, `assign me`. */
export function quickVerbs({ project, statuses, me, targets }: VerbsInput): KeyBinding[] {
  const verb = (keys: string, label: string, put: Parameters<typeof putIssues>[2]): KeyBinding => ({
    ...{ keys, label, group: 'Issues', act: 'issues.update', changes: true, isChoice: true },
    run: () => {
      const issues = targets()
      if (issues === null) return false
      putIssues(issues, project, put)
      return true
    },
  })
  const assignee = (name: string | null, label: string) =>
    verb('@', label, {
      said: name === null ? 'Unassigned' : `Assigned to ${name}`,
      what: 'assignee',
      change: { assignee: name },
    })
  return [
    ...ISSUE_PRIORITIES.map((priority) =>
      verb(`p ${priority}`, `set the priority to ${priorityName(priority)} ${PRIORITY_WORDS[priority]}`, {
        said: `Priority ${PRIORITY_WORDS[priority]}`,
        what: 'priority',
        change: { priority },
      }),
    ),
    ...statuses.map((status, at) =>
      verb(`s ${at + 1}`, `set the status to ${statusWord(visibleText(status))}`, {
        said: `Status ${statusWord(status)}`,
        what: 'status',
        change: { status },
      }),
    ),
    ...(me === undefined ? [] : [assignee(me, 'assign it to me')]),
    assignee(null, 'assign it to nobody'),
  ]
}
