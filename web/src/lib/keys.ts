import { useEffect, useSyncExternalStore } from 'react'
import { doCharacterKeysWork, needsCharacter } from './character-keys'
import { areKeysResting } from './key-rest'
import { TypeAhead } from './type-ahead'

/** A key or a row of two (`g h`). `Mod` is Cmd on a Mac and Ctrl elsewhere. */
export interface KeyBinding {
  /** As `KeyboardEvent.key` names it: `j`, `?`, `Enter`, `Escape`, `g h`, `Mod+k`. */
  keys: string
  /** What it does, in a few words, for the list of keys. */
  label: string
  /** Where it belongs in that list. */
  group: string
  /** Also while a person types in a field or a dialog is open. */
  inFields?: boolean
  /**
   * It answers, starts, stops or moves something: a key that is held does it once, and not at all while keys rest (`key-rest.ts`). Keys that
   * only move over what is shown repeat.
   */
  changes?: true
  /** What it opens begins with a field: what is typed before that is there goes into it. */
  opensField?: boolean
  /** Gives `false` where it does not apply now: the next binding of the same key is tried, then the browser. */
  run(event: KeyboardEvent): unknown
}

/** The newest first: what a dialog or page binds goes before what the whole dashboard does. */
let bound: readonly KeyBinding[] = []
const listeners = new Set<() => void>()
let first: { key: string; at: number } | null = null
const ahead = new TypeAhead()

/** A second key counts with the first for so long. */
const ROW_MS = 1_200

function setBound(next: readonly KeyBinding[]): void {
  bound = next
  for (const tell of listeners) tell()
}

/** Binds keys while the component is shown. Give a list that stays the same (`useMemo`), or it is bound anew each time. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    setBound([...bindings, ...bound])
    return () => setBound(bound.filter((one) => !bindings.includes(one)))
  }, [bindings])
}

/** All that is bound now, for the list of keys. */
export function useBoundKeys(): readonly KeyBinding[] {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => bound,
  )
}

/** Listens for the whole page. Gives what ends it. */
export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    if (isHeldEnter(event)) {
      event.preventDefault()
      return
    }
    // A field that had the focus before takes what is typed as ever; nothing waits for another one.
    if (isField(event.target)) ahead.end()
    else if (ahead.keep(event, performance.now())) {
      event.preventDefault()
      return
    }
    const pressed = nameOf(event)
    if (needsCharacter(pressed) && !doCharacterKeysWork()) return
    const row = first !== null && performance.now() - first.at < ROW_MS ? `${first.key} ${pressed}` : null
    // Below a dialog the page is out of reach, for keys too.
    const isTyping = isField(event.target) || document.querySelector('dialog[open]') !== null
    first = null
    // A key that ends a row is that, whatever it means by itself: `g d` denies nothing.
    for (const keys of row === null ? [pressed] : [row, pressed])
      for (const binding of bound) {
        if (binding.keys !== keys) continue
        if (isTyping && binding.inFields !== true) continue
        if (binding.changes === true && (event.repeat || areKeysResting())) {
          event.preventDefault()
          return
        }
        if (binding.run(event) === false) continue
        event.preventDefault()
        if (binding.opensField) ahead.begin(performance.now())
        return
      }
    if (!isTyping && bound.some(({ keys }) => keys.startsWith(`${pressed} `)))
      first = { key: pressed, at: performance.now() }
  }
  const onFocus = ({ target }: FocusEvent) => {
    const text = isField(target) ? ahead.take(performance.now()) : ''
    // After the drawing that gave the focus, before the next key. An old call, but the only one by which a field takes text as if typed.
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
  const key = event.key.length === 1 && event.shiftKey && /[a-z]/i.test(event.key) ? event.key.toUpperCase() : event.key
  if (event.altKey && event.key.length === 1) return `Alt+${key}`
  return event.metaKey || event.ctrlKey ? `Mod+${key.length === 1 ? key.toLowerCase() : key}` : key
}

/** Held, it would press the button or send the form that has the focus by then. In a long text it is a new line. */
const isHeldEnter = ({ key, repeat, target }: KeyboardEvent): boolean =>
  repeat && key === 'Enter' && !(target instanceof HTMLTextAreaElement)

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}
