! Fortran 2008 with tutti: the table of parameters is plain data, the callbacks have bind(C).
!
!     mpirun -n 4 heat_fortran
module heat_tuning
  use heat
  use tutti
  implicit none

  integer, parameter :: ROWS = 512, COLUMNS = 96 ! of each rank
  real(dp), parameter :: PI = acos(-1.0_dp)

contains

  integer(c_int) function make_key(key, args, user) bind(C)
    type(c_ptr), value :: key, args, user
    if (c_associated(args, user)) continue ! both are unused
    call tutti_key_integer(key, 'rows' // c_null_char, int(ROWS, c_int64_t))
    call tutti_key_integer(key, 'columns' // c_null_char, int(COLUMNS, c_int64_t))
    make_key = 0
  end function

  integer(c_int) function run(args, config, context) bind(C)
    type(c_ptr), value :: args, context
    type(step_config), intent(in) :: config
    type(part), pointer :: mine
    if (.not. c_associated(context)) continue ! unused
    call c_f_pointer(args, mine)
    run = int(heat_step(mine, config), c_int)
  end function

  ! One wave over the grid, which a step makes smaller by a known factor.
  real(dp) function wave(mine, row, column)
    type(part), intent(in) :: mine
    integer, intent(in) :: row, column
    wave = cos(2 * PI * row / mine%rows) * &
      cos(4 * PI * (mine%rank * mine%columns + column) / (mine%ranks * mine%columns))
  end function

  real(dp) function factor(mine)
    type(part), intent(in) :: mine
    factor = (cos(2 * PI / mine%rows) + cos(4 * PI / (mine%ranks * mine%columns))) / 2
  end function

  ! So that check_step sees what a run wrote, and not what the one before it left.
  integer(c_int) function poison(args, config, context) bind(C)
    type(c_ptr), value :: args, context
    type(step_config), intent(in) :: config
    type(part), pointer :: mine
    if (config%tile < 0 .or. .not. c_associated(context)) continue ! unused
    call c_f_pointer(args, mine)
    mine%next = huge(1.0_dp)
    poison = 0
  end function

  integer(c_int) function check_step(args, config, context) bind(C)
    type(c_ptr), value :: args, context
    type(step_config), intent(in) :: config
    type(part), pointer :: mine
    integer :: row, column
    if (config%tile < 0 .or. .not. c_associated(context)) continue ! unused
    call c_f_pointer(args, mine)
    check_step = TUTTI_VERDICT_OK
    do column = 1, mine%columns
      do row = 1, mine%rows
        if (.not. abs(mine%next(row, column) - factor(mine) * wave(mine, row, column)) < 1e-12_dp) &
          check_step = TUTTI_VERDICT_WRONG
      end do
    end do
  end function
end module

program heat_autotune
  use, intrinsic :: iso_fortran_env, only: error_unit
  use heat_tuning
  implicit none

  integer(c_int), target :: exchanges(3) = [BLOCKING, NONBLOCKING, OVERLAPPED]
  integer(c_int), target :: tiles(4) = [0, 16, 64, 128]
  character(kind=c_char, len=10), target :: function_name = 'heat_step' // c_null_char
  character(kind=c_char, len=9), target :: exchange_name = 'exchange' // c_null_char
  character(kind=c_char, len=5), target :: tile_name = 'tile' // c_null_char
  type(tutti_param), target :: params(2)
  type(tutti_tuner_desc) :: desc
  type(part), target :: mine
  type(step_config), pointer :: best
  type(step_config) :: layout
  type(c_ptr) :: group, tuner
  integer :: error, row, column

  call MPI_Init(error)
  mine%comm = MPI_COMM_WORLD
  call MPI_Comm_rank(mine%comm, mine%rank, error)
  call MPI_Comm_size(mine%comm, mine%ranks, error)
  mine%rows = ROWS
  mine%columns = COLUMNS
  allocate (mine%now(ROWS, 0:COLUMNS + 1), mine%next(ROWS, 0:COLUMNS + 1))
  do column = 1, COLUMNS
    do row = 1, ROWS
      mine%now(row, column) = wave(mine, row, column)
    end do
  end do

  params(1) = tutti_param(name=c_loc(exchange_name), kind=TUTTI_KIND_I32, &
    offset=0, size=c_sizeof(layout%exchange), values=c_loc(exchanges), count=size(exchanges))
  params(2) = tutti_param(name=c_loc(tile_name), kind=TUTTI_KIND_I32, &
    offset=c_sizeof(layout%exchange), size=c_sizeof(layout%tile), values=c_loc(tiles), &
    count=size(tiles))
  desc = tutti_tuner_desc(size=size_of_desc(), name=c_loc(function_name), params=c_loc(params), &
    nparams=size(params), config_size=c_sizeof(layout), key=c_funloc(make_key), &
    run=c_funloc(run), reset=c_funloc(poison), verify=c_funloc(check_step))

  if (create_group(mine%comm, group) /= TUTTI_SUCCESS) call fail('the group could not be made')
  if (tutti_tuner_create(desc, tuner) /= TUTTI_SUCCESS) call fail('the tuner could not be made')
  if (tutti_call(tuner, c_loc(mine), group, c_null_ptr) /= TUTTI_SUCCESS) &
    call fail(tutti_sentence(tuner, group))
  call c_f_pointer(tutti_best(tuner, c_loc(mine), group), best)
  if (check_step(c_loc(mine), best, c_null_ptr) /= TUTTI_VERDICT_OK) call fail('the step is wrong')
  if (mine%rank == 0) print '(a, i0, a, i0)', 'exchange=', best%exchange, ', tile=', best%tile

  call tutti_tuner_destroy(tuner)
  call tutti_group_release(group)
  call MPI_Finalize(error)

contains

  subroutine fail(sentence)
    character(len=*), intent(in) :: sentence
    integer :: ignored
    write (error_unit, '(a, i0, 2a)') 'rank ', mine%rank, ': ', sentence
    flush (error_unit)
    call MPI_Abort(mine%comm, 1, ignored)
  end subroutine
end program
