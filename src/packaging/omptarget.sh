# Programs of clang get omptarget instead of LLVM's libomptarget.
case ":${LD_LIBRARY_PATH-}:" in
  *:/usr/lib/omptarget/lib:*) ;;
  *)
    LD_LIBRARY_PATH=/usr/lib/omptarget/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    ;;
esac
