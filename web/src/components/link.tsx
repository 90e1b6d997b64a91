import { useRouter } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { useGo } from '../lib/links'

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** Path within the dashboard with its search part, for example `/tasks/t-7f3k9q2m`. */
  to: string
  children: ReactNode
}

/**
 * A link within the dashboard. The router's own link subscribes to each change of the address, which took half of the render time of a list
 * with 200 rows. This one reads the address when it is rendered.
 */
export function Link({ to, children, className = '', onClick, ...rest }: LinkProps) {
  const router = useRouter()
  const go = useGo()
  const { pathname, search, hash } = new URL(to, location.origin)
  const here = router.state.location
  return (
    <a
      href={pathname + search + hash}
      // Another search part is another place: only an equal one counts as the current page.
      aria-current={here.pathname === pathname && here.searchStr === search ? 'page' : undefined}
      className={`rounded-sm underline-offset-2 hover:underline ${className}`}
      onPointerEnter={() => void router.preloadRoute({ to: pathname as '/' }).catch(() => undefined)}
      {...rest}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || !isPlain(event)) return
        event.preventDefault()
        go(pathname + search + hash)
      }}
    >
      {children}
    </a>
  )
}

/** Whether it is a plain click. The browser handles all others: new tab, new window, download. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
