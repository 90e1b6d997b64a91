import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { useMay } from '../../lib/me'

/** Classes by look. */
const LOOKS = {
  plain: 'border border-line bg-panel hover:bg-hover text-ink',
  main: 'border border-transparent bg-accent text-accent-ink hover:opacity-90',
  danger: 'border border-line bg-panel text-fail hover:tint-fail',
  quiet: 'border border-transparent text-ink-2 hover:bg-hover hover:text-ink',
} as const

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: keyof typeof LOOKS
  icon?: ReactNode
  /** The action is running: shows it, and ignores clicks. */
  isBusy?: boolean
  /** Its operation on the server: people without the right don't get the button. */
  act?: OperationName
  ref?: Ref<HTMLButtonElement>
}

/** A button with a text. */
export function Button({ look = 'plain', icon, isBusy = false, act, children, className = '', ...rest }: ButtonProps) {
  if (!useMay(act)) return null
  return (
    <button
      type="button"
      {...rest}
      // Unlike a disabled button, a busy one keeps the focus.
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      className={`inline-flex h-7 shrink-0 items-center gap-1.5 whitespace-nowrap rounded px-2.5 text-xs font-medium disabled:opacity-55 aria-busy:cursor-default aria-busy:opacity-55 max-md:h-9 ${LOOKS[look]} ${className}`}
    >
      {icon}
      {children}
    </button>
  )
}

/** A button that shows only an icon. `label` is its tooltip and its name for assistive technology. */
export function IconButton({ label, act, className = '', children, ...rest }: ButtonProps & { label: string }) {
  if (!useMay(act)) return null
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-55 max-md:size-9 ${className}`}
    >
      {children}
    </button>
  )
}
