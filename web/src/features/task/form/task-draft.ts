import { EMPTY_TASK, type TaskForm } from './task-form'

/** Session storage key of a draft. There is one draft per parent and issue. */
export const draftKey = (parent: string, issue: string): string => `lodeline.new-task ${parent} ${issue}`

/** Parses a stored draft. Missing and invalid fields are taken from `start`. */
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

const LAST_FOLDER = 'lodeline.new-task-folder'

/** The folder of the task that this tab created last: most follow each other in one. */
export const lastFolder = (): string | undefined => readKept(LAST_FOLDER) ?? undefined

/** Notes it for the next task. */
export const keepFolder = (dir: string): void => keep(LAST_FOLDER, dir)

/** Reads a draft. @param start  values of fields without a draft */
export function readDraft(key: string, start: Partial<TaskForm>): TaskForm {
  return parseDraft(readKept(key), { ...EMPTY_TASK, ...start })
}

/** Stores a draft. */
export const keepDraft = (key: string, form: TaskForm): void => keep(key, JSON.stringify(form))

/** The text that this tab stores under a key; `null` if there is none. */
export const readKept = (key: string): string | null => quietly(() => sessionStorage.getItem(key)) ?? null

/** Stores a text in this tab. If storage is full or blocked, the text only lives until the page is left. */
export const keep = (key: string, text: string): void => void quietly(() => sessionStorage.setItem(key, text))

/** Removes a stored text. */
export const drop = (key: string): void => void quietly(() => sessionStorage.removeItem(key))

function quietly<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
