import { useEffect, useSyncExternalStore } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { may } from '../me'
import { doCharacterKeysWork, needsCharacter } from './character-keys'
import { areKeysResting } from './key-rest'
import { TypeAhead } from './type-ahead'

/** A shortcut: one key, or a sequence of two (`g h`). `Mod` is Cmd on a Mac and Ctrl elsewhere. */
export interface KeyBinding {
  /** As `KeyboardEvent.key` names it: `j`, `?`, `Enter`, `Escape`, `g h`, `Mod+k`. */
  keys: string
  /** What it does, in a few words, for the list of shortcuts. */
  label: string
  /** Its heading in that list. */
  group: string
  /** Whether it also works in fields and dialogs. */
  inFields?: boolean
  /**
   * It changes something on the server. Holding the key does it once, and paused shortcuts do not do it at all (`key-rest.ts`). Shortcuts
   * that only move the cursor repeat.
   */
  changes?: true
  /** Its operation on the server: the key is not bound for people without the right. */
  act?: OperationName
  /** One choice of a menu that another shortcut opens: no keys of its own. The command bar lists it once something is typed. */
  isChoice?: true
  /** It opens something that starts with a field. Text typed before the field exists goes into it. */
  opensField?: boolean
  /** Whether it would do something now: the command bar leaves out what would not. Default: it would. */
  isPossible?(): boolean
  /** @returns false if it does not apply now; then the next binding of the same key is tried, then the browser */
  run(event: KeyboardEvent): unknown
}

/** Whether the key is for a button or a link, which it presses. */
export const isOnControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest('button,a,summary,input') !== null

/** The newest first: bindings of a dialog or page take precedence over those of the whole dashboard. */
let bound: readonly KeyBinding[] = []
const listeners = new Set<() => void>()
let first: { key: string; at: number } | null = null
const ahead = new TypeAhead()

/** How long the first key of a sequence waits for the second. Milliseconds. */
const SEQUENCE_MS = 1_200

function setBound(next: readonly KeyBinding[]): void {
  bound = next
  for (const tell of listeners) tell()
}

/** Binds shortcuts while the component is mounted. Memoize the list (`useMemo`), or it is bound again at each render. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    setBound([...bindings.filter(({ act }) => act === undefined || may(act)), ...bound])
    return () => setBound(bound.filter((one) => !bindings.includes(one)))
  }, [bindings])
}

/** All current bindings, for the list of shortcuts. */
export function useBoundKeys(): readonly KeyBinding[] {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => bound,
  )
}

/** Handles shortcuts for the whole page. @returns a function that stops it */
export function listenForKeys(): () => void {
  // The shortcut key that is still held. In a field that it opened it would type itself repeatedly.
  let held: string | null = null
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    if (!event.repeat) held = null
    if (isHeldEnter(event) || (event.key === held && isField(event.target))) {
      event.preventDefault()
      return
    }
    // A field with the focus takes typed text itself.
    if (isField(event.target)) ahead.end()
    else if (event.key !== held && ahead.keep(event, performance.now())) {
      event.preventDefault()
      return
    }
    const pressed = nameOf(event)
    if (needsCharacter(pressed) && !doCharacterKeysWork()) return
    const row = first !== null && performance.now() - first.at < SEQUENCE_MS ? `${first.key} ${pressed}` : null
    // An open dialog makes the page inert, for shortcuts too.
    const isTyping = isField(event.target) || document.querySelector('dialog[open]') !== null
    first = null
    // The second key of a sequence never acts by itself: `g d` denies nothing.
    for (const keys of row === null ? [pressed] : [row, pressed])
      for (const binding of bound) {
        if (binding.keys !== keys || binding.isChoice === true) continue
        if (isTyping && binding.inFields !== true) continue
        if (binding.changes === true && (event.repeat || areKeysResting())) {
          event.preventDefault()
          return
        }
        if (binding.run(event) === false) continue
        event.preventDefault()
        if (!isTyping) held = event.key
        if (binding.opensField) ahead.begin(performance.now())
        return
      }
    if (!isTyping && bound.some(({ keys, isChoice }) => keys.startsWith(`${pressed} `) && isChoice !== true))
      first = { key: pressed, at: performance.now() }
  }
  const onFocus = ({ target }: FocusEvent) => {
    const text = isField(target) ? ahead.take(performance.now()) : ''
    // After the render that set the focus, before the next key. This deprecated call is the only one that inserts text as if it were typed.
    if (text !== '') queueMicrotask(() => document.execCommand('insertText', false, text))
  }
  addEventListener('keydown', onKey)
  addEventListener('focusin', onFocus)
  return () => {
    removeEventListener('keydown', onKey)
    removeEventListener('focusin', onFocus)
  }
}

function nameOf(event: KeyboardEvent): string {
  if (event.key === ' ') return 'Space'
  const key = event.key.length === 1 && event.shiftKey && /[a-z]/i.test(event.key) ? event.key.toUpperCase() : event.key
  if (event.altKey && event.key.length === 1) return `Alt+${key}`
  return event.metaKey || event.ctrlKey ? `Mod+${key.length === 1 ? key.toLowerCase() : key}` : key
}

/** A held Enter would press the button or submit the form that has the focus by then. In a text area it is a new line. */
const isHeldEnter = ({ key, repeat, target }: KeyboardEvent): boolean =>
  repeat && key === 'Enter' && !(target instanceof HTMLTextAreaElement)

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}
