import { useEffect, useState } from "react";

/** What this visitor's browser can receive; undefined until it is known. */
export function useHatoState() {
  const [state, setState] = useState<Awaited<ReturnType<typeof hato.state>>>();
  useEffect(() => hato.onChange(setState), []);
  return state;
}
