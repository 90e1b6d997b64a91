import { EMPTY_TASK, type TaskForm } from './task-form'

/** What was typed and not sent yet, kept by the browser's tab until it is. One for each parent and issue. */
export const draftKey = (parent: string, issue: string): string => `lodeline.new-task ${parent} ${issue}`

/** Fields of the kept text that are of the right kind; anything else is as `start` says. */
export function parseDraft(text: string | null, start: TaskForm): TaskForm {
  const kept = recordOf(text)
  const fields = Object.entries(start).map(([name, value]) => {
    const found = kept[name]
    const isGood = typeof found === typeof value && (name !== 'continuity' || found === 'continue' || found === 'fresh')
    return [name, isGood ? found : value]
  })
  return Object.fromEntries(fields) as unknown as TaskForm
}

function recordOf(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

export function readDraft(key: string, start: Partial<TaskForm>): TaskForm {
  return parseDraft(readKept(key), { ...EMPTY_TASK, ...start })
}

export const keepDraft = (key: string, form: TaskForm): void => keep(key, JSON.stringify(form))

/** What the tab keeps under this name; `null` = nothing. */
export const readKept = (key: string): string | null => quietly(() => sessionStorage.getItem(key)) ?? null

/** Without room for it, or where the browser keeps nothing, all works the same until the page is left. */
export const keep = (key: string, text: string): void => void quietly(() => sessionStorage.setItem(key, text))

export const drop = (key: string): void => void quietly(() => sessionStorage.removeItem(key))

function quietly<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
