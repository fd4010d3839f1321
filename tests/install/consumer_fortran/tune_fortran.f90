! Tunes on all ranks of MPI_COMM_WORLD, 2 of them, in Fortran 2008: a table of parameters built by
! hand, callbacks with bind(C), and a clock of its own, so that the choice is known. Rank 0 alone
! would take 64, rank 1 alone 8; the slowest rank is fastest with 32.
module launcher
  use tutti
  implicit none

  type, bind(C) :: knobs
    integer(c_int) :: block
  end type

  integer :: rank = 0

contains

  integer(c_int) function start(clock) bind(C)
    real(c_double), intent(out) :: clock
    clock = 0
    start = 0
  end function

  integer(c_int) function stop_clock(clock, seconds) bind(C)
    real(c_double), intent(in) :: clock
    real(c_double), intent(out) :: seconds
    seconds = clock
    stop_clock = 0
  end function

  ! args is the clock.
  integer(c_int) function run(clock, config, context) bind(C)
    real(c_double), intent(inout) :: clock
    type(knobs), intent(in) :: config
    type(c_ptr), value :: context
    if (rank == 0) then
      clock = clock + 70e-6_c_double / config%block
    else
      clock = clock + config%block * 100e-9_c_double
    end if
    run = merge(0, 1, c_associated(context))
  end function
end module

program tune_fortran
  use mpi
  use launcher
  implicit none

  integer(c_int), target :: blocks(4) = [8, 16, 32, 64]
  character(kind=c_char, len=*), parameter :: NUL = c_null_char
  character(kind=c_char, len=17), target :: function_name = 'consumer_fortran' // NUL
  character(kind=c_char, len=6), target :: block_name = 'block' // NUL
  character(kind=c_char, len=8), target :: timer_name = 'counted' // NUL
  type(tutti_param), target :: params(1)
  type(tutti_timer_ops), target :: timer
  type(tutti_tuner_desc) :: desc
  type(c_ptr) :: group, tuner, found
  type(knobs), pointer :: best
  real(c_double), target :: clock = 0
  integer :: error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (c_sizeof(params(1)) /= size_of_param() .or. c_sizeof(timer) /= size_of_timer() .or. &
      c_sizeof(desc) /= size_of_desc()) then
    call fail('tutti.f90 does not describe the structs of <tutti/tuner.h> any more', 0)
  end if

  params(1)%name = c_loc(block_name)
  params(1)%kind = TUTTI_KIND_I32
  params(1)%offset = 0
  params(1)%size = c_sizeof(blocks(1))
  params(1)%values = c_loc(blocks)
  params(1)%count = size(blocks)

  timer%size = c_sizeof(timer)
  timer%name = c_loc(timer_name)
  timer%start = c_funloc(start)
  timer%stop = c_funloc(stop_clock)

  desc%size = c_sizeof(desc)
  desc%name = c_loc(function_name)
  desc%params = c_loc(params)
  desc%nparams = 1
  desc%config_size = c_sizeof(knobs(0))
  desc%run = c_funloc(run)
  desc%timer = c_loc(timer)
  desc%timer_self = c_loc(clock)

  error = create_group(MPI_COMM_WORLD, group)
  if (error /= TUTTI_SUCCESS) call fail('tutti_group_create_mpi', error)
  error = tutti_tuner_create(desc, tuner)
  if (error /= TUTTI_SUCCESS) call fail('tutti_tuner_create', error)
  error = tutti_call(tuner, c_loc(clock), group, c_null_ptr)
  if (error /= TUTTI_SUCCESS) call fail('tutti_call', error)
  found = tutti_best(tuner, c_loc(clock), group)
  if (.not. c_associated(found)) call fail('tutti_best', 0)
  call c_f_pointer(found, best)
  print '(a, i0, a, i0)', 'rank ', rank, ': block ', best%block
  if (best%block /= 32) call fail('the choice is not 32, but', best%block)
  call tutti_tuner_destroy(tuner)
  call tutti_group_release(group)
  call MPI_Finalize(error)

contains

  subroutine fail(what, number)
    character(len=*), intent(in) :: what
    integer, intent(in) :: number
    integer :: ignored
    print '(a, i0, 3a, i0)', 'rank ', rank, ': ', what, ': ', number
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine
end program
